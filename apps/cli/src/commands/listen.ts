import type { WebhookEvent } from '@florin/webhooks-domain';
import { setTimeout } from 'node:timers/promises';
import { CommandFailed } from '../cli-errors';
import type { Command, CommandInput } from '../command';
import { companyOptions, connectCompany } from '../company-connection';
import { EventFeed } from '../event-feed';
import { forwardEvent, type Handover, type Receiver } from '../forward-event';
import { printable } from '../table';
import { readInterval, readReceiver, readTypes } from './listen-options';

export const listen: Command = {
  words: 'listen',
  summary: 'Shows the events of a company as they happen and forwards them, signed, to a receiver of yours.',
  arguments: [],
  options: {
    ...companyOptions,
    'forward-to': { value: 'address', description: 'where to send them, such as http://127.0.0.1:4000/webhooks' },
    events: { value: 'list', description: 'only these types, with commas between (default: all)' },
    secret: { value: 'secret', description: 'what to sign with (default: a new one, which is shown)' },
    every: { value: 'ms', description: 'how often to look for new ones, in milliseconds (default: 1000)' },
  },
  run: async (input) => {
    const types = readTypes(input);
    const receiver = readReceiver(input);
    const everyMs = readInterval(input);
    const feed = new EventFeed(connectCompany(input));
    const stop = input.session.interrupted();
    await feed.skipThePast();
    input.report(greeting(types, receiver));
    while (!stop.aborted) {
      for (const event of await next(feed, input)) {
        if (types?.has(event.type) === false) continue;
        const handover = receiver && (await forwardEvent(receiver, event, stop));
        input.session.print(input.has('json') ? JSON.stringify({ event, handover }) : line(event, handover));
        if (stop.aborted) break;
      }
      // The wait has only one way to fail: somebody has seen enough.
      await setTimeout(everyMs, undefined, { signal: stop }).catch(() => undefined);
    }
    return undefined;
  },
};

/** Florin may be restarted while somebody listens; what the key may not do, it never may. */
async function next(feed: EventFeed, { report }: CommandInput): Promise<readonly WebhookEvent[]> {
  try {
    return await feed.next();
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    const { statusCode = 503 } = error.details as { statusCode?: number };
    if (statusCode < 500 && statusCode !== 429) throw error;
    report(`${error.message} Trying again.`);
    return [];
  }
}

function greeting(types: ReadonlySet<string> | undefined, receiver: Receiver | undefined): string {
  const what = types === undefined ? 'all events' : [...types].join(', ');
  const where = receiver && `Forwarding to ${receiver.url}, signed with ${receiver.secret}`;
  return [`Listening for ${what}. Ctrl+C ends it.`, where].filter(Boolean).join('\n');
}

function line({ createdAt, type, id, data }: WebhookEvent, handover: Handover | undefined): string {
  const about = typeof data.object['id'] === 'string' ? data.object['id'] : undefined;
  const outcome = handover && `-> ${handover.statusCode ?? handover.error} in ${handover.durationMs} ms`;
  return [createdAt, type, id, about, outcome]
    .filter((part) => part !== undefined)
    .map(printable)
    .join('  ');
}
