import { testEventType, type WebhookEvent, webhookEventTypes } from '@florin/webhooks-domain';
import { type Command, InvalidArgumentError } from 'commander';
import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { CliContext } from '../cli-context';
import { CommandFailed } from '../cli-errors';
import { addCompanyOptions, type CompanyOptions, connectCompany } from '../company-connection';
import { EventFeed } from '../event-feed';
import { forwardEvent, type ForwardResult, type Receiver } from '../forward-event';
import { printable } from '../table';

interface ListenOptions extends CompanyOptions {
  readonly forwardTo?: string;
  readonly events?: ReadonlySet<string>;
  readonly secret?: string;
  readonly every: number;
}

export function addListenCommand(program: Command, context: CliContext): void {
  addCompanyOptions(program.command('listen'))
    .description('Print the events of a company as they happen and forward them, signed, to a receiver.')
    .option('--forward-to <address>', 'receiver, such as http://127.0.0.1:4000/webhooks', parseAddress)
    .option('--events <list>', 'comma-separated event types (default: all)', parseEventTypes)
    .option('--secret <secret>', 'signing secret (default: a new one, which is printed)')
    .option('--every <ms>', 'polling interval in milliseconds', parseInterval, 1_000)
    .action((options: ListenOptions) => listen(context, options));
}

async function listen(context: CliContext, options: ListenOptions): Promise<void> {
  const { events: types, every } = options;
  const receiver = receiverOf(options);
  const feed = new EventFeed(connectCompany(context, options));
  const stop = context.interrupted();
  await feed.skipExisting();
  context.report(greeting(types, receiver));
  while (!stop.aborted) {
    for (const event of await nextEvents(feed, context)) {
      if (types?.has(event.type) === false) continue;
      const handover = receiver && (await forwardEvent(receiver, event, stop));
      context.print(context.options.json ? JSON.stringify({ event, handover }) : line(event, handover));
      if (stop.aborted) break;
    }
    // Rejects only when `stop` aborts.
    await setTimeout(every, undefined, { signal: stop }).catch(() => undefined);
  }
}

/** Retries while Florin is unavailable or limits the rate. Other errors, such as a revoked key, are permanent. */
async function nextEvents(feed: EventFeed, context: CliContext): Promise<readonly WebhookEvent[]> {
  try {
    return await feed.next();
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    const { statusCode = 503 } = error.details as { statusCode?: number };
    if (statusCode < 500 && statusCode !== 429) throw error;
    context.report(`${error.message} Retrying.`);
    return [];
  }
}

function greeting(types: ReadonlySet<string> | undefined, receiver: Receiver | undefined): string {
  const what = types === undefined ? 'all events' : [...types].join(', ');
  const where = receiver && `Forwarding to ${receiver.url}, signed with ${receiver.secret}`;
  return [`Listening for ${what}. Press Ctrl+C to stop.`, where].filter(Boolean).join('\n');
}

function line({ createdAt, type, id, data }: WebhookEvent, handover: ForwardResult | undefined): string {
  const about = typeof data.object['id'] === 'string' ? data.object['id'] : undefined;
  const outcome = handover && `-> ${handover.statusCode ?? handover.error} in ${handover.durationMs} ms`;
  return [createdAt, type, id, about, outcome]
    .filter((part) => part !== undefined)
    .map(printable)
    .join('  ');
}

function receiverOf({ forwardTo: url, secret }: ListenOptions): Receiver | undefined {
  return url === undefined ? undefined : { url, secret: secret ?? `whsec_${randomBytes(32).toString('base64url')}` };
}

function parseAddress(text: string): string {
  const url = text.trim();
  if (/^https?:\/\//i.test(url) && URL.canParse(url)) return url;
  throw new InvalidArgumentError('Use an address such as http://127.0.0.1:4000/webhooks.');
}

function parseEventTypes(list: string): ReadonlySet<string> {
  const known: readonly string[] = [...webhookEventTypes, testEventType];
  const types = list.split(',').map((type) => type.trim());
  const unknown = types.filter((type) => !known.includes(type));
  if (unknown.length === 0) return new Set(types);
  throw new InvalidArgumentError(`Unknown event type ${unknown.join(', ')}. Choose from ${known.join(', ')}.`);
}

function parseInterval(text: string): number {
  if (/^[1-9]\d{1,5}$/.test(text.trim())) return Number(text);
  throw new InvalidArgumentError('Use a number of milliseconds from 10 to 999999.');
}
