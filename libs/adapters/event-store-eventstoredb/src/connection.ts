import {
  type AppendExpectedRevision,
  BACKWARDS,
  convertToCommandError,
  END,
  type EventStoreDBClient,
  NO_STREAM,
  STREAM_EXISTS,
  type StreamingRead,
  TimeoutError,
} from '@eventstore/db-client';
import {
  type Backoff,
  type EventToAppend,
  exponentialBackoff,
  identityStream,
  noStream,
  type Position,
  Semaphore,
} from '@florin/event-sourcing';
import { isTransient, NoResponse, rejectWhenOverloaded, SubscriptionDropped, wasNeverSent } from './append-failures';
import { ConnectionGuard, type StoreKnowledge } from './connection-guard';
import { inTime } from './in-time';
import type { TailHandlers } from './live-tail';
import { atLeader, buffered, newestTimeoutMs, OpenStreams, subscribeToOwn } from './open-streams';
import { RenewableClient, sharedWriter } from './renewable-client';
import { placeOf, proposedEvent, type ServerEvent } from './server-event';

export interface ConnectionOptions extends StoreKnowledge {
  /** Timeout of one append attempt. A server may ignore a repeated write until the first one is settled. */
  readonly appendTimeoutMs: number;
  readonly streamTimeoutMs?: number;
  /** How long transient failures are retried. Only the last attempt may take longer. */
  readonly retryForMs: number;
  readonly backoff?: Backoff;
}

export interface SubscriptionHandlers extends TailHandlers {
  readonly signal: AbortSignal;
}

/** Long enough for a page of large events over a slow network. */
const readTimeoutMs = 30_000;

/**
 * An overloaded server completes a few calls in time but none of thousands: each would time out, be retried, and increase the
 * load. All appends share one call; reads have one each, and a server accepts 100 per connection.
 */
const appendsAtOnce = 256;
const readsAtOnce = 32;

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
  private readonly streams = new OpenStreams();
  /** Only for health checks: a timeout of theirs must not repeat the reads of a server that is merely slow. */
  private readonly prober: RenewableClient;
  private readonly guards: ReadonlyMap<RenewableClient, ConnectionGuard>;
  private isClosed = false;

  constructor(
    connectionString: string,
    private readonly options: ConnectionOptions,
  ) {
    this.writer = sharedWriter(connectionString);
    this.reader = new RenewableClient(connectionString).use();
    this.prober = new RenewableClient(connectionString).use();
    this.guards = new Map([
      [
        this.writer,
        new ConnectionGuard(options, (client) => this.requireKnown(client, () => this.appendNothing(client))),
      ],
      [this.reader, new ConnectionGuard(options, (client) => this.requireKnown(client))],
    ]);
    this.backoff = options.backoff ?? exponentialBackoff(50, 1_000);
  }

  /**
   * Sends an append until the server has replied. A retry is safe because the server recognizes the event ids. `onUnknown` is
   * called for every failed attempt that may have stored the events. Returns the position of the events.
   */
  append(
    stream: string,
    expectedRevision: number,
    events: readonly EventToAppend[],
    onUnknown: () => void,
  ): Promise<Position | undefined> {
    const { appendTimeoutMs, known } = this.options;
    const expected: AppendExpectedRevision = expectedRevision === noStream ? NO_STREAM : BigInt(expectedRevision);
    const options = { expectedRevision: expected, deadline: appendTimeoutMs, ...atLeader };
    const proposed = events.map(proposedEvent);
    const attempt = async (client: EventStoreDBClient): Promise<Position | undefined> => {
      const before = known.end;
      const { position } = await inTime(client.appendToStream(stream, proposed, options), appendTimeoutMs).catch(
        (error: unknown) => {
          if (!wasNeverSent(convertToCommandError(error as Error))) onUnknown();
          throw error;
        },
      );
      await this.requireAfter(before, position?.commit, client);
      return position?.commit;
    };
    return this.appends.run(() => this.repeat(this.writer, attempt));
  }

  /** The events of a stream from a revision on. */
  readStream(stream: string, fromRevision: number, maxCount: number): Promise<readonly ServerEvent[]> {
    return this.read(
      (client) => client.readStream(stream, { fromRevision: BigInt(fromRevision), maxCount, ...atLeader }, buffered),
      this.options.streamTimeoutMs,
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

  /** The newest event between these positions, without those of the server. At the first one there is an event. */
  newestBetween(first: Position, last: Position): Promise<Position> {
    const attempt = (client: EventStoreDBClient) => this.streams.newestBetween(client, first, last, readTimeoutMs);
    return this.reads.run(() => this.repeat(this.reader, attempt));
  }

  /** Checks that the server responds and has the known store, without queueing or retrying. */
  async probe(timeoutMs: number): Promise<void> {
    await this.execute(this.prober, (client) => inTime(this.requireKnown(client), timeoutMs));
  }

  /** Runs until the signal aborts. Rejects when the call breaks before that or an event cannot be processed. */
  subscribe(after: Position, { onOpen, onCheckpoint, onEvent, signal }: SubscriptionHandlers): Promise<void> {
    return this.execute(this.reader, async (client) => {
      if (signal.aborted) return;
      const events = subscribeToOwn(client, after, onCheckpoint);
      events.on('confirmation', onOpen);
      const stream = { events: events as NodeJS.EventEmitter, cancel: () => events.unsubscribe() };
      await this.streams.untilEnd(stream, onEvent, signal).catch((error: Error) => {
        throw error instanceof TimeoutError ? new SubscriptionDropped(error.message, { cause: error }) : error;
      });
      if (!signal.aborted) throw new NoResponse('The server ended a live subscription');
    });
  }

  /** Rejects the calls in progress; they are not retried. */
  async close(): Promise<void> {
    this.isClosed = true;
    for (const guard of this.guards.values()) guard.forget();
    this.streams.failAll(new Error('The event store is closed'));
    await Promise.all([this.writer, this.reader, this.prober].map((client) => client.release()));
  }

  private read(
    open: (client: EventStoreDBClient) => StreamingRead<unknown>,
    timeoutMs = readTimeoutMs,
  ): Promise<readonly ServerEvent[]> {
    const attempt = (client: EventStoreDBClient) => this.streams.collect(open(client), timeoutMs);
    return this.reads.run(() => this.repeat(this.reader, attempt));
  }

  private async repeat<Answer>(
    client: RenewableClient,
    attempt: (client: EventStoreDBClient) => Promise<Answer>,
  ): Promise<Answer> {
    const retryUntil = Date.now() + this.options.retryForMs;
    for (let retry = 1; ; retry++) {
      try {
        return await this.execute(client, attempt);
      } catch (error) {
        const remainingMs = retryUntil - Date.now();
        if (!isTransient(error) || this.isClosed || remainingMs <= 0) throw error;
        await this.backoff.wait(retry, AbortSignal.timeout(remainingMs));
        if (Date.now() >= retryUntil) throw error;
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
      await this.guards.get(renewable)?.confirm(client);
      // It may have been replaced meanwhile: an append on an old client could break those of the new one.
      if (!renewable.isCurrent(client)) throw new NoResponse('The connection to the server was replaced');
      return await action(client);
    } catch (failure) {
      const error = convertToCommandError(failure as Error) as Error;
      if (isTransient(error) && !(error instanceof SubscriptionDropped)) this.guards.get(renewable)?.forget();
      if (error instanceof NoResponse && renewable.renew(client) && renewable === this.reader) {
        this.streams.failAll(new NoResponse('The connection to the server was replaced'));
      }
      throw error;
    }
  }

  /**
   * A new event is after all events that existed before. Otherwise the append was a repeat, or it was stored in another store,
   * whose connection was opened between the check and the append: then it is not acknowledged.
   */
  private async requireAfter(
    before: Position,
    position: Position | undefined,
    client: EventStoreDBClient,
  ): Promise<void> {
    if (position !== undefined && position > before) return this.options.known.saw(position);
    const guard = this.guards.get(this.writer)!;
    guard.forget();
    await guard.confirm(client);
  }

  /** Rejects with `EventStoreMismatch` unless the known store is behind the connection of this client. */
  private async requireKnown(client: EventStoreDBClient, endOf = () => this.streams.end(client)): Promise<void> {
    const { known } = this.options;
    // Appends continue meanwhile on other connections, so their positions may be beyond the end that is read here.
    const { end } = known;
    const id = await this.streams.storeId(client);
    // `endOf` may write.
    known.require({ id, end });
    known.require({ id, end: await endOf() }, end);
  }

  /** Opens the call that all appends share, which the guard then watches. Returns the end of the log. */
  private async appendNothing(client: EventStoreDBClient): Promise<Position> {
    const options = { expectedRevision: STREAM_EXISTS, deadline: this.options.appendTimeoutMs, ...atLeader } as const;
    const { position } = await client.appendToStream(identityStream, [], options);
    return position!.commit;
  }
}
