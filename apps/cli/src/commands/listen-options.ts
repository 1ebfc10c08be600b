import { testEventType, webhookEventTypes } from '@florin/webhooks-domain';
import { randomBytes } from 'node:crypto';
import { UsageError } from '../cli-errors';
import type { CommandInput } from '../command';
import type { Receiver } from '../forward-event';

/** Nothing means all, also those that are added later. */
export function readTypes(input: CommandInput): ReadonlySet<string> | undefined {
  if (!input.has('events')) return undefined;
  const all: readonly string[] = [...webhookEventTypes, testEventType];
  const wanted = input
    .text('events')
    .split(',')
    .map((type) => type.trim());
  const unknown = wanted.filter((type) => !all.includes(type));
  if (unknown.length === 0) return new Set(wanted);
  throw new UsageError(`There is no event ${unknown.join(', ')}; choose from ${all.join(', ')}`);
}

export function readReceiver(input: CommandInput): Receiver | undefined {
  if (!input.has('forward-to')) return undefined;
  const url = input.text('forward-to');
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) {
    throw new UsageError(`${url} is not an address; give one such as http://127.0.0.1:4000/webhooks with --forward-to`);
  }
  const secret = input.has('secret') ? input.text('secret') : `whsec_${randomBytes(32).toString('base64url')}`;
  return { url, secret };
}

export function readInterval(input: CommandInput): number {
  const text = input.has('every') ? input.text('every') : '1000';
  if (/^[1-9]\d{1,5}$/.test(text)) return Number(text);
  throw new UsageError(`--every must be a number of milliseconds from 10 to 999999, not ${text}`);
}
