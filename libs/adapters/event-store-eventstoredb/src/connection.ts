import {
  type AllStreamRecordedEvent,
  type AppendExpectedRevision,
  BACKWARDS,
  convertToCommandError,
  END,
  type EventStoreDBClient,
  NO_STREAM,
  START,
  type StreamingRead,
  StreamNotFoundError,
  streamNameFilter,
} from '@eventstore/db-client';
import {
  type Backoff,
  EventStoreOverloaded,
  type EventToAppend,
  exponentialBackoff,
  noStream,
  type Position,
  Semaphore,
} from '@florin/event-sourcing';
import { isTransient, NoResponse } from './append-failures';
import { inTime } from './in-time';
import { RenewableClient, sharedWriter } from './renewable-client';
import { placeOf, proposedEvent, type ServerEvent, serverEvent } from './server-event';

export interface ConnectionOptions {
  /** Timeout of one append attempt. A server may ignore a repeated write until the first one is settled. */
  readonly appendTimeoutMs: number;
  /** How long transient failures are retried. */
  readonly retryForMs: number;
  readonly backoff?: Backoff;
}

export interface SubscriptionHandlers {
  readonly onOpen: () => void;
  readonly onEvent: (event: ServerEvent) => void;
  readonly signal: AbortSignal;
}

/** A stream of the vendor's client and how to end it. */
interface EventStream {
  readonly events: NodeJS.EventEmitter;
  cancel(): Promise<void>;
}

/** Long enough for a page of large events over a slow network. */
const readTimeoutMs = 30_000;
/** For one event. Clients wait for it. */
const newestTimeoutMs = 2_000;

/**
 * An overloaded server completes a few calls in time but none of thousands: each would time out, be retried, and increase the
 * load. All appends share one call; reads have one each, and a server accepts 100 per connection.
 */
const appendsAtOnce = 256;
const readsAtOnce = 32;
const maxWaitingCalls = 50_000;

/** Only the leader of a cluster is certain to have the latest acknowledged events. */
const atLeader = { requiresLeader: true } as const;

/** Events that the client buffers. Its default of 16 halves the speed. */
const buffered = { highWaterMark: 1_000 };

/**
 * Calls the server with the vendor's client, which discovers, secures and renews connections. All appends of a process share a
 * client that is used for nothing else: when an append breaks, the vendor's code rejects all appends of the process, and a
 * response to one of these on another connection would then be an uncaught exception.
 */
export class Connection {
  private readonly writer: RenewableClient;
  private readonly reader: RenewableClient;
  private readonly backoff: Backoff;
  private readonly appends = new Semaphore(() => appendsAtOnce, rejectWhenOverloaded);
  private readonly reads = new Semaphore(() => readsAtOnce, rejectWhenOverloaded);
  private readonly streams = new Set<(error: Error) => void>();
  private isClosed = false;

  constructor(
    connectionString: string,
    private readonly options: ConnectionOptions,
  ) {
    this.writer = sharedWriter(connectionString);
    this.reader = new RenewableClient(connectionString).use();
    this.backoff = options.backoff ?? exponentialBackoff(50, 1_000);
  }

  /**
   * Sends an append until the server has replied. A retry is safe because the server recognizes the event ids. `onFailure` is
   * called for every failed attempt.
   */
  append(
    stream: string,
    expectedRevision: number,
    events: readonly EventToAppend[],
    onFailure: (error: unknown) => void,
  ): Promise<void> {
    const { appendTimeoutMs } = this.options;
    const expected: AppendExpectedRevision = expectedRevision === noStream ? NO_STREAM : BigInt(expectedRevision);
    const options = { expectedRevision: expected, deadline: appendTimeoutMs, ...atLeader };
    const proposed = events.map(proposedEvent);
    const attempt = async (client: EventStoreDBClient): Promise<void> => {
      await inTime(client.appendToStream(stream, proposed, options), appendTimeoutMs);
    };
    return this.appends.run(() => this.repeat(this.writer, attempt, onFailure));
  }

  /** The events of a stream from a revision on. */
  readStream(stream: string, fromRevision: number, maxCount: number): Promise<readonly ServerEvent[]> {
    return this.read((client) =>
      client.readStream(stream, { fromRevision: BigInt(fromRevision), maxCount, ...atLeader }, buffered),
    );
  }

  /** The events of all streams from a position on, which is included, with those of the server itself. */
  readAll(from: Position, maxCount: number): Promise<readonly ServerEvent[]> {
    return this.read((client) => client.readAll({ fromPosition: placeOf(from), maxCount, ...atLeader }, buffered));
  }

  /** The newest events of all streams, newest first. */
  readNewest(before: Position | undefined, maxCount: number): Promise<readonly ServerEvent[]> {
    const fromPosition = before === undefined ? END : placeOf(before);
    return this.read(
      (client) => client.readAll({ direction: BACKWARDS, fromPosition, maxCount, ...atLeader }, buffered),
      before === undefined ? newestTimeoutMs : readTimeoutMs,
    );
  }

  /** The first event of a stream, without queueing or retrying, to check whether the server responds. */
  async probe(stream: string, timeoutMs: number): Promise<ServerEvent | undefined> {
    const open = (client: EventStoreDBClient) =>
      client.readStream(stream, { fromRevision: START, maxCount: 1, ...atLeader });
    const [first] = await this.execute(this.reader, (client) => this.collect(open(client), timeoutMs));
    return first;
  }

  /** Runs until the signal aborts. Rejects when the call breaks before that or an event cannot be processed. */
  subscribe(after: Position, { onOpen, onEvent, signal }: SubscriptionHandlers): Promise<void> {
    return this.execute(this.reader, async (client) => {
      if (signal.aborted) return;
      // Servers write system events into streams that begin with a dollar sign.
      const filter = streamNameFilter({ regex: '^[^$]', maxSearchWindow: 1_000 });
      const events = client.subscribeToAll({ fromPosition: placeOf(after), filter, ...atLeader }, buffered);
      events.on('confirmation', onOpen);
      await this.untilEnd(
        { events: events as NodeJS.EventEmitter, cancel: () => events.unsubscribe() },
        onEvent,
        signal,
      );
      if (!signal.aborted) throw new NoResponse('The server ended a live subscription');
    });
  }

  /** Rejects the calls in progress; they are not retried. */
  async close(): Promise<void> {
    this.isClosed = true;
    for (const fail of this.streams) fail(new Error('The event store is closed'));
    await Promise.all([this.writer.release(), this.reader.release()]);
  }

  private read(
    open: (client: EventStoreDBClient) => StreamingRead<unknown>,
    timeoutMs = readTimeoutMs,
  ): Promise<readonly ServerEvent[]> {
    const attempt = (client: EventStoreDBClient) => this.collect(open(client), timeoutMs);
    return this.reads.run(() => this.repeat(this.reader, attempt));
  }

  private async collect(events: StreamingRead<unknown>, timeoutMs: number): Promise<readonly ServerEvent[]> {
    const found: ServerEvent[] = [];
    const stream = { events: events as NodeJS.EventEmitter, cancel: () => events.cancel() };
    await inTime(
      this.untilEnd(stream, (event) => found.push(event)),
      timeoutMs,
      () => void stream.cancel().catch(() => undefined),
    );
    return found;
  }

  /** Resolves at the end or when the signal aborts. The vendor's streams do not report that they were canceled. */
  private untilEnd(stream: EventStream, onEvent: (event: ServerEvent) => void, signal?: AbortSignal): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const fail = (error: Error): void => {
        reject(error);
        leave();
      };
      const abort = (): void => {
        resolve();
        leave();
      };
      const leave = (): void => {
        this.streams.delete(fail);
        signal?.removeEventListener('abort', abort);
        stream.cancel().catch(() => undefined);
      };
      this.streams.add(fail);
      signal?.addEventListener('abort', abort);
      const { events } = stream;
      events.on('data', ({ event }: { readonly event?: AllStreamRecordedEvent }) => {
        try {
          if (event !== undefined) onEvent(serverEvent(event));
        } catch (error) {
          fail(error as Error);
        }
      });
      events.on('end', abort);
      events.on('error', (error: Error) => (error instanceof StreamNotFoundError ? abort() : fail(error)));
    });
  }

  private async repeat<Answer>(
    client: RenewableClient,
    attempt: (client: EventStoreDBClient) => Promise<Answer>,
    onFailure: (error: unknown) => void = () => undefined,
  ): Promise<Answer> {
    const retryUntil = Date.now() + this.options.retryForMs;
    for (let retry = 1; ; retry++) {
      try {
        return await this.execute(client, attempt);
      } catch (error) {
        onFailure(error);
        if (!isTransient(error) || this.isClosed || Date.now() >= retryUntil) throw error;
        await this.backoff.wait(retry);
      }
    }
  }

  private async execute<Answer>(
    renewable: RenewableClient,
    action: (client: EventStoreDBClient) => Promise<Answer>,
  ): Promise<Answer> {
    if (this.isClosed) throw new Error('The event store is closed');
    const client = await renewable.current();
    try {
      return await action(client);
    } catch (failure) {
      const error = convertToCommandError(failure as Error) as Error;
      if (error instanceof NoResponse && renewable.renew(client) && renewable === this.reader) {
        for (const fail of this.streams) fail(new NoResponse('The connection to the server was replaced'));
      }
      throw error;
    }
  }
}

function rejectWhenOverloaded(waiting: number): void {
  if (waiting >= maxWaitingCalls) throw new EventStoreOverloaded();
}
