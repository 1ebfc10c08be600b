import { convertToCommandError, EventStoreDBClient } from '@eventstore/db-client';
import { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb';
import type { AppendReq, AppendResp, ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb';
import { type Backoff, EventStoreOverloaded, exponentialBackoff, Semaphore } from '@florin/event-sourcing';
import { isTransient } from './append-failures';

export interface ConnectionOptions {
  /** Timeout of one append attempt. A server may ignore a repeated write until the first one is settled. */
  readonly appendTimeoutMs: number;
  /** How long transient failures are retried. */
  readonly retryForMs: number;
  readonly backoff?: Backoff;
}

export interface SubscriptionHandlers {
  readonly onAnswer: (answer: ReadResp) => void;
  readonly signal: AbortSignal;
}

/** Long enough for a page of large events over a slow network. */
const readTimeoutMs = 30_000;

/**
 * Together below the 100 concurrent calls that a server accepts per connection. An overloaded server completes a few
 * calls in time but none of thousands: each would time out, be retried, and increase the load.
 */
const appendsAtOnce = 64;
const readsAtOnce = 32;
const maxWaitingCalls = 50_000;

/**
 * Calls the streams service over connections that the vendor's client discovers, secures and renews. The client's own
 * read and append methods are not used: they parse and reserialize metadata and data as JSON, which loses the exact
 * text of an event; they cannot filter a read; and a batched append that breaks may never settle. The members used
 * instead are not public, hence the brackets and the pinned version.
 */
export class Connection {
  private readonly client: EventStoreDBClient;
  private readonly backoff: Backoff;
  private readonly appends = new Semaphore(() => appendsAtOnce, rejectWhenOverloaded);
  private readonly reads = new Semaphore(() => readsAtOnce, rejectWhenOverloaded);
  private renewal: Promise<void> = Promise.resolve();
  private isClosed = false;
  private readonly readCalls = new Set<{ cancel(): void }>();

  constructor(
    connectionString: string,
    private readonly options: ConnectionOptions,
  ) {
    this.client = EventStoreDBClient.connectionString(inOldSpelling(connectionString));
    this.backoff = options.backoff ?? exponentialBackoff(50, 1_000);
  }

  /**
   * Sends an append until the server has replied. A retry is safe because the server recognizes the event ids.
   * `onFailure` is called for every failed attempt.
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
    return this.appends.run(() => this.repeat('append', attempt, onFailure));
  }

  read(request: ReadReq): Promise<ReadResp[]> {
    return this.reads.run(() => this.repeat('read', (streams) => this.readOnce(streams, request, readTimeoutMs)));
  }

  /** Reads without queueing or retrying, to check whether the server responds. */
  probe(request: ReadReq, timeoutMs: number): Promise<ReadResp[]> {
    return this.execute('read', (streams) => this.readOnce(streams, request, timeoutMs));
  }

  /** Runs until the signal aborts. Rejects when the call breaks before that or a response cannot be processed. */
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
      if (!signal.aborted) throw new Error('The server ended a live subscription');
    });
  }

  /**
   * Cancels the calls in progress. They are not retried, because a retry would open a connection that is never closed.
   */
  async close(): Promise<void> {
    this.isClosed = true;
    for (const call of this.readCalls) call.cancel();
    await this.renewal;
    await this.client.dispose();
    // Fails if no cluster node was found: then there is nothing to close.
    await this.client['getChannel']().then(
      (channel) => channel.close(),
      () => undefined,
    );
  }

  private readOnce(streams: StreamsClient, request: ReadReq, timeoutMs: number): Promise<ReadResp[]> {
    return new Promise((resolve, reject) => {
      const responses: ReadResp[] = [];
      const call = streams.read(request, ...this.callArguments(timeoutMs));
      const leave = (): boolean => this.readCalls.delete(call);
      this.readCalls.add(call);
      call.on('error', leave).on('end', leave);
      call
        .on('data', (answer: ReadResp) => responses.push(answer))
        .on('error', (error: Error) => reject(convertToCommandError(error) as Error))
        .on('end', () => resolve(responses));
    });
  }

  private async repeat<Answer>(
    name: string,
    attempt: (streams: StreamsClient) => Promise<Answer>,
    onFailure: (error: unknown) => void = () => undefined,
  ): Promise<Answer> {
    const retryUntil = Date.now() + this.options.retryForMs;
    for (let retry = 1; ; retry++) {
      try {
        return await this.execute(name, attempt);
      } catch (error) {
        onFailure(error);
        if (!isTransient(error) || Date.now() >= retryUntil) throw error;
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
   * After certain errors the client discovers a new connection, and the leader if the server named one. Errors are
   * handled one at a time: otherwise the second of two concurrent errors would replace the new connection without
   * closing it.
   */
  private async renew(streams: StreamsClient, error: Error): Promise<void> {
    await this.client['handleError'](streams, error).catch(() => undefined);
  }

  /** Only the leader of a cluster is certain to have the latest acknowledged events. */
  private callArguments(timeoutMs: number) {
    const limit = timeoutMs === Infinity ? { deadline: Infinity } : {};
    return this.client['callArguments']({ requiresLeader: true, deadline: timeoutMs }, limit);
  }
}

function rejectWhenOverloaded(waiting: number): void {
  if (waiting >= maxWaitingCalls) throw new EventStoreOverloaded();
}

/** KurrentDB, the successor, uses its own URL schemes, which this client does not know. The rest is identical. */
function inOldSpelling(connectionString: string): string {
  return connectionString.replace(/^(kurrentdb|kurrent|kdb)(\+discover)?:/, 'esdb$2:');
}
