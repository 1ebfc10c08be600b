import { convertToCommandError, EventStoreDBClient } from '@eventstore/db-client';
import { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb';
import type { AppendReq, AppendResp, ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb';
import { type Backoff, exponentialBackoff, Semaphore } from '@florin/event-sourcing';
import { EventStoreOverloaded, mayPass } from './append-failures';

export interface ConnectionOptions {
  /** How long one attempt to append may take. A server may pass over a repeated write until the first one is settled. */
  readonly appendTimeoutMs: number;
  /** How long attempts are repeated while the trouble may pass. */
  readonly patienceMs: number;
  readonly backoff?: Backoff;
}

export interface SubscriptionHandlers {
  readonly onAnswer: (answer: ReadResp) => void;
  readonly signal: AbortSignal;
}

/** A page of large events over a slow line is still worth waiting for. */
const readTimeoutMs = 30_000;

/**
 * Together they stay below the hundred calls that a server takes at once over one connection. Besides, a server under load
 * answers a few calls in time, but none of thousands: each would be given up, be repeated, and make the crowd larger.
 */
const appendsAtOnce = 64;
const readsAtOnce = 32;
const longestLine = 50_000;

/**
 * The calls of the streams service, over connections that the vendor's client finds, secures and renews. Its own methods
 * for reading and appending are not used: they take metadata and data apart as JSON and put them together again, so that
 * the letters of an event are lost; they cannot filter a read; and a batched append that breaks may never be answered.
 * What is used instead is not public, hence the brackets and the pinned version.
 */
export class Connection {
  private readonly client: EventStoreDBClient;
  private readonly backoff: Backoff;
  private readonly appends = new Semaphore(() => appendsAtOnce, refuseTooLongLine);
  private readonly reads = new Semaphore(() => readsAtOnce, refuseTooLongLine);
  private renewal: Promise<void> = Promise.resolve();
  private isClosed = false;

  constructor(
    connectionString: string,
    private readonly options: ConnectionOptions,
  ) {
    this.client = EventStoreDBClient.connectionString(inOldSpelling(connectionString));
    this.backoff = options.backoff ?? exponentialBackoff(50, 1_000);
  }

  /**
   * Sends an append until the server has answered. Repeating it is safe because the server knows its events by their ids.
   * `onFailure` hears of every attempt that failed.
   */
  append(messages: readonly AppendReq[], onFailure: (error: unknown) => void): Promise<AppendResp> {
    const attempt = (streams: StreamsClient): Promise<AppendResp> =>
      new Promise((resolve, reject) => {
        const call = streams.append(...this.callArguments(this.options.appendTimeoutMs), (error, answer) => {
          if (error) reject(convertToCommandError(error) as Error);
          else resolve(answer);
        });
        call.on('error', reject);
        for (const message of messages) call.write(message);
        call.end();
      });
    return this.appends.pass(() => this.repeat('append', attempt, onFailure));
  }

  read(request: ReadReq): Promise<ReadResp[]> {
    const attempt = (streams: StreamsClient): Promise<ReadResp[]> =>
      new Promise((resolve, reject) => {
        const answers: ReadResp[] = [];
        streams
          .read(request, ...this.callArguments(readTimeoutMs))
          .on('data', (answer: ReadResp) => answers.push(answer))
          .on('error', (error: Error) => reject(convertToCommandError(error) as Error))
          .on('end', () => resolve(answers));
      });
    return this.reads.pass(() => this.repeat('read', attempt));
  }

  /** Lasts until the signal aborts; rejects when it breaks before, or when an answer cannot be dealt with. */
  subscribe(request: ReadReq, { onAnswer, signal }: SubscriptionHandlers): Promise<void> {
    return this.execute('subscribe', async (streams) => {
      if (signal.aborted) return;
      const call = streams.read(request, ...this.callArguments(Infinity));
      const cancel = (): void => call.cancel();
      signal.addEventListener('abort', cancel);
      try {
        for await (const answer of call as AsyncIterable<ReadResp>) onAnswer(answer);
      } catch (error) {
        if (!signal.aborted) throw convertToCommandError(error as Error);
      } finally {
        signal.removeEventListener('abort', cancel);
        call.cancel();
      }
      if (!signal.aborted) throw new Error('The server has ended a subscription that was meant to last');
    });
  }

  /** Calls under way are cut off, and not tried again: that would open a new connection, which nobody would close. */
  async close(): Promise<void> {
    this.isClosed = true;
    await this.renewal;
    await this.client.dispose();
    // It fails where no node of a cluster was ever found: then there is nothing to close.
    await this.client['getChannel']().then(
      (channel) => channel.close(),
      () => undefined,
    );
  }

  private async repeat<Answer>(
    name: string,
    attempt: (streams: StreamsClient) => Promise<Answer>,
    onFailure: (error: unknown) => void = () => undefined,
  ): Promise<Answer> {
    const patienceEndsAt = Date.now() + this.options.patienceMs;
    for (let retry = 1; ; retry++) {
      try {
        return await this.execute(name, attempt);
      } catch (error) {
        onFailure(error);
        if (!mayPass(error) || Date.now() >= patienceEndsAt) throw error;
        await this.backoff.wait(retry);
      }
    }
  }

  private async execute<Answer>(name: string, action: (streams: StreamsClient) => Promise<Answer>): Promise<Answer> {
    if (this.isClosed) throw new Error('The event store is closed');
    const streams = await this.client['getGRPCClient'](StreamsClient, name);
    try {
      return await action(streams);
    } catch (error) {
      this.renewal = this.renewal.then(() => this.renew(streams, error as Error));
      await this.renewal;
      throw error;
    }
  }

  /**
   * After an error that calls for it, the client looks for a new connection, and for the leader where it was told of one.
   * One error at a time: of two that came together, the second would take the new connection for the broken one, and
   * drop it without closing it.
   */
  private async renew(streams: StreamsClient, error: Error): Promise<void> {
    await this.client['handleError'](streams, error).catch(() => undefined);
  }

  /** Only the leader of a cluster is sure to know what was acknowledged last. */
  private callArguments(timeoutMs: number) {
    const limit = timeoutMs === Infinity ? { deadline: Infinity } : {};
    return this.client['callArguments']({ requiresLeader: true, deadline: timeoutMs }, limit);
  }
}

function refuseTooLongLine(waiting: number): void {
  if (waiting >= longestLine) throw new EventStoreOverloaded();
}

/** KurrentDB, the successor, has schemes of its own, which this client does not know; the rest is the same. */
function inOldSpelling(connectionString: string): string {
  return connectionString.replace(/^(kurrentdb|kurrent|kdb)(\+discover)?:/, 'esdb$2:');
}
