import {
  type AllEventsQuery,
  type Backoff,
  type EventPage,
  type EventStore,
  type EventToAppend,
  exponentialBackoff,
  followEvents,
  KnownStore,
  noStream,
  type Position,
  type RecordedEvent,
  RevisionConflict,
  SharedQuery,
} from '@florin/event-sourcing';
import { assert, isUuid } from '@florin/kernel';
import { WrongExpectedVersionError } from '@eventstore/db-client';
import { appendFailure, isTransient } from './append-failures';
import { Connection } from './connection';
import { EventReader } from './event-reader';
import { LiveTail } from './live-tail';
import { StreamEnds } from './stream-ends';

export interface EventStoreDbEventStoreOptions {
  readonly pageSize?: number;
  readonly appendTimeoutMs?: number;
  /** Timeout of one page of a stream. Commands wait for it. */
  readonly streamTimeoutMs?: number;
  /** How long an append or a read is retried while the server cannot be reached. */
  readonly retryForMs?: number;
  /** How many consecutive times the live subscription may fail before waiting subscriptions are rejected. */
  readonly reconnects?: number;
  readonly backoff?: Backoff;
  /** The furthest position that any process has read from the store: a server that ends before it has an older copy. */
  readonly furthestPosition?: () => Promise<Position>;
}

const tailLimits = { maxEvents: 10_000, maxCharacters: 16_000_000 };

/** The event store on EventStoreDB (22.6 or newer) or KurrentDB, as a single server or a cluster. */
export class EventStoreDbEventStore implements EventStore {
  private readonly connection: Connection;
  private readonly reader: EventReader;
  private readonly tail: LiveTail;
  private readonly ends: StreamEnds;
  private readonly pageSize: number;
  private readonly known = new KnownStore(otherServer);
  private readonly appendsUnderWay = new Set<Promise<void>>();
  private readonly heads = new SharedQuery(() => this.reader.head());

  constructor(connectionString: string, options: EventStoreDbEventStoreOptions = {}) {
    const { pageSize = 1_000, appendTimeoutMs = 3_000, streamTimeoutMs, retryForMs = 10_000 } = options;
    const { reconnects = 5, backoff, furthestPosition } = options;
    this.pageSize = pageSize;
    this.connection = new Connection(connectionString, {
      appendTimeoutMs,
      streamTimeoutMs,
      retryForMs,
      backoff,
      known: this.known,
      furthestPosition,
    });
    this.reader = new EventReader(this.connection, this.known, furthestPosition);
    this.tail = new LiveTail({
      ...tailLimits,
      reconnects,
      isTransient,
      backoff: backoff ?? exponentialBackoff(100, 2_000),
      onPassed: (to, newest) => this.reader.passed(to, newest),
      subscribe: (after, handlers, signal) => {
        const onEvent: typeof handlers.onEvent = (event) => {
          this.known.saw(event.position);
          handlers.onEvent(event);
        };
        return this.connection.subscribe(after, { ...handlers, onEvent, signal });
      },
    });
    this.ends = new StreamEnds(() => this.head(), this.tail);
  }

  async append(stream: string, expectedRevision: number, events: readonly EventToAppend[]): Promise<void> {
    if (events.length === 0) return;
    checkAppend(stream, expectedRevision, events);
    const underWay = this.send(stream, expectedRevision, events);
    this.appendsUnderWay.add(underWay);
    try {
      await underWay;
    } finally {
      this.appendsUnderWay.delete(underWay);
    }
  }

  async *readStream(stream: string, fromRevision = 0): AsyncGenerator<readonly RecordedEvent[]> {
    if (await this.ends.endsBefore(stream, fromRevision)) return;
    const asOf = this.known.end;
    for (let from = fromRevision; ;) {
      const events = await this.reader.streamPage(stream, from, this.pageSize);
      const last = events.at(-1)?.revision ?? from - 1;
      if (events.length > 0) yield events;
      if (events.length < this.pageSize) return this.ends.remember(stream, last, asOf);
      from = last + 1;
    }
  }

  readAll({ after, categories, pageSize = this.pageSize }: AllEventsQuery): Promise<EventPage> {
    return this.reader.page(after, pageSize, categories);
  }

  head(): Promise<Position> {
    return this.heads.execute();
  }

  subscribe(query: AllEventsQuery, signal: AbortSignal): AsyncGenerator<EventPage> {
    return followEvents({ reader: this.reader, tail: this.tail, pageSize: this.pageSize }, query, signal);
  }

  /** From now on, every new connection is used only if its server has this identity and all events that were seen before. */
  expectIdentity(id: string): void {
    this.known.expect(id);
  }

  /** Rejects if the server does not respond in time or has another store. For health checks: neither queued nor retried. */
  probe(timeoutMs: number): Promise<void> {
    return this.connection.probe(timeoutMs);
  }

  /** Finishes the accepted appends. Subscriptions must have been ended by their signals before. */
  async close(): Promise<void> {
    await Promise.allSettled(this.appendsUnderWay);
    await this.tail.close();
    await this.connection.close();
  }

  private async send(stream: string, expectedRevision: number, events: readonly EventToAppend[]): Promise<void> {
    let wasSent = false;
    try {
      const position = await this.connection.append(stream, expectedRevision, events, () => (wasSent = true));
      if (position !== undefined) this.ends.remember(stream, expectedRevision + events.length, position);
    } catch (error) {
      if (error instanceof WrongExpectedVersionError) throw new RevisionConflict(stream, expectedRevision);
      throw appendFailure(stream, error, wasSent);
    }
  }
}

/** The error message for a server with another store. */
export function otherServer(difference: string): string {
  return (
    `The server of EVENTSTORE_URL is not the event store of this database: ${difference}. ` +
    'Correct EVENTSTORE_URL, or restore the newest copy of the server; see "Event store identity" in docs/OPERATIONS.md.'
  );
}

/** Rejects what the server would misinterpret, or store where no reader would find it. */
function checkAppend(stream: string, expectedRevision: number, events: readonly EventToAppend[]): void {
  assert(
    stream.length > 0 && !stream.startsWith('$'),
    () => `a stream has a name that does not start with $, which the server reserves, unlike ${JSON.stringify(stream)}`,
  );
  assert(
    Number.isSafeInteger(expectedRevision) && expectedRevision >= noStream,
    () => `an expected revision is an integer of at least ${noStream}, unlike ${expectedRevision}`,
  );
  for (const { id, type } of events) {
    assert(isUuid(id), () => `an event id is a lowercase UUID, unlike ${JSON.stringify(id)}`);
    assert(type.length > 0, () => `event ${id} has no type`);
  }
}
