import { type AppendExpectedRevision, binaryEvent, EventStoreDBClient, NO_STREAM, START } from '@eventstore/db-client';
import { noStream } from '@florin/event-sourcing';
import { randomId } from '@florin/kernel';
import { type AppendContestant, RoundRobinStreams } from '../appends/append-contestant';
import type { Caller } from '../measure';
import { sampleEvent } from '../sample-event';

const buffered = { highWaterMark: 1_000 };

/** The vendor's client without anything around it: the same events in the same batches, no retries and no limits. */
export class BareClient implements AppendContestant {
  private readonly client: EventStoreDBClient;

  constructor(url: string) {
    this.client = EventStoreDBClient.connectionString(url);
  }

  manyStreams(callers: number): readonly Caller[] {
    return Array.from({ length: callers }, () => {
      const streams = new RoundRobinStreams(() => `account-${randomId()}-sandbox`);
      return async () => {
        const stream = streams.next();
        await this.append(stream.name, noStream + stream.events, 1);
        stream.events += 1;
      };
    });
  }

  /** All callers that wait while an append is in progress share the next one. */
  hotStream(callers: number): readonly Caller[] {
    const name = `account-${randomId()}-sandbox`;
    let revision = noStream;
    let waiting: (() => void)[] = [];
    let isRunning = false;
    const run = async (): Promise<void> => {
      isRunning = true;
      while (waiting.length > 0) {
        const batch = waiting;
        waiting = [];
        await this.append(name, revision, batch.length);
        revision += batch.length;
        for (const resolve of batch) resolve();
      }
      isRunning = false;
    };
    const call = (): Promise<void> =>
      new Promise((resolve) => {
        waiting.push(resolve);
        if (!isRunning) setImmediate(() => void (isRunning || run()));
      });
    return Array.from({ length: callers }, () => call);
  }

  /** Appends to streams of the server itself, which no reader of Florin sees. */
  async writeSystemEvents(count: number): Promise<void> {
    const perAppend = 500;
    for (let written = 0; written < count; written += perAppend) {
      const events = Array.from({ length: perAppend }, () => binaryEvent({ type: '$bench', data: Buffer.alloc(400) }));
      await this.client.appendToStream('$bench', events);
    }
  }

  /** Reads all events with one call. */
  async readAll(): Promise<number> {
    let count = 0;
    for await (const { event } of this.client.readAll({ fromPosition: START }, buffered)) if (event) count += 1;
    return count;
  }

  close(): Promise<void> {
    return this.client.dispose();
  }

  private async append(stream: string, expected: number, count: number): Promise<void> {
    const expectedRevision: AppendExpectedRevision = expected === noStream ? NO_STREAM : BigInt(expected);
    const events = Array.from({ length: count }, () => {
      const { id, type, data, metadata } = sampleEvent();
      return binaryEvent({ id, type, data: Buffer.from(data), metadata: Buffer.from(metadata) });
    });
    await this.client.appendToStream(stream, events, { expectedRevision, requiresLeader: true });
  }
}
