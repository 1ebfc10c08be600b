/** The position of an event in the global order of all streams. Increasing; the smallest valid one is 1. */
export type Position = bigint;

export const beforeFirst: Position = 0n;

/** The revision of a stream that has no event yet; its first event gets revision 0. */
export const noStream = -1;

/**
 * An event to append. `data` and `metadata` are JSON texts that are hashed and stored exactly as given. `metadata` is a text that
 * `JSON.stringify` returned; a store may keep its value instead of its text.
 */
export interface EventToAppend {
  /**
   * A lowercase UUID. It distinguishes a repeated append from a conflicting one; the store does not check it elsewhere.
   */
  readonly id: string;
  readonly type: string;
  readonly data: string;
  readonly metadata: string;
}

export interface RecordedEvent extends EventToAppend {
  readonly stream: string;
  readonly revision: number;
  readonly position: Position;
}

/** A range of the global order: its matching events, and how far the read got even if none matched. */
export interface EventPage {
  readonly events: readonly RecordedEvent[];
  readonly readTo: Position;
  /** The page ends at the head of the log as of this read; otherwise more events are likely to follow. */
  readonly isLast: boolean;
}

export interface AllEventsQuery {
  /** Only events after this position. */
  readonly after: Position;
  /** Only streams of these categories. All of them when absent. */
  readonly categories?: readonly string[];
  /** The maximum number of events in one page. */
  readonly pageSize?: number;
}

/**
 * The source of truth. `testing/event-store.contract.ts` specifies the behavior of every adapter: an append is atomic,
 * and durable when its promise resolves; readers of the global order never miss an event, regardless of concurrent
 * writers and of how late a transaction commits.
 */
export interface EventStore {
  /** Whether positions have no gaps: then a position without an event proves that one was removed. */
  readonly hasGaplessPositions?: boolean;

  /**
   * Appends if the stream is at `expectedRevision`, else rejects with `RevisionConflict`. Repeating an append whose
   * events (by id) directly follow `expectedRevision` succeeds and writes nothing, even when other events follow them;
   * if they were archived meanwhile, it is a conflict.
   * Without events it does nothing. `AppendTooLarge` means that nothing was stored and fewer events at once may
   * succeed. After any other rejection the outcome is unknown: either all events were stored or none.
   */
  append(stream: string, expectedRevision: number, events: readonly EventToAppend[]): Promise<void>;

  /** The events of one stream in order, from a revision on, in pages; empty when the stream does not exist. */
  readStream(stream: string, fromRevision?: number): AsyncIterable<readonly RecordedEvent[]>;

  /** One page of the global order. */
  readAll(query: AllEventsQuery): Promise<EventPage>;

  /** The position of the newest event, `beforeFirst` in an empty store. */
  head(): Promise<Position>;

  /**
   * Catches up, then follows live until the signal aborts; then the iteration ends normally. A page without events only
   * reports how far the read got; every page extends further than the previous one. To resume, start after the last
   * `readTo`. Rejects when the store cannot be read; the runner retries. Rejects with `PositionBeyondLog` to start after
   * a position that the log has not reached.
   */
  subscribe(query: AllEventsQuery, signal: AbortSignal): AsyncIterable<EventPage>;
}

export class RevisionConflict extends Error {
  constructor(
    readonly stream: string,
    readonly expectedRevision: number,
  ) {
    super(`Stream ${stream} is not at revision ${expectedRevision}`);
    this.name = 'RevisionConflict';
  }
}

/** A checkpoint beyond the end: continuing there would silently skip all events up to it. */
export class PositionBeyondLog extends Error {
  constructor(readonly position: Position) {
    super(
      `A subscription wants to continue after position ${position}, but the store ends before it. Was it restored from an older ` +
        'backup, does the checkpoint belong to another store, or did someone change it? Reset the checkpoint to a position that ' +
        'the store still has.',
    );
    this.name = 'PositionBeyondLog';
  }
}

export class AppendTooLarge extends Error {
  constructor(
    readonly stream: string,
    readonly maxBytes: number,
  ) {
    super(
      `An append to ${stream} is larger than ${maxBytes} bytes; nothing was stored. Append fewer events at once, or raise the limit of the store`,
    );
    this.name = 'AppendTooLarge';
  }
}

/**
 * The events are in an archive file that cannot be read. They exist, so no reader may continue without them: a stream whose events
 * were archived is not an empty one.
 */
export class ArchiveUnavailable extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ArchiveUnavailable';
  }
}

/** The store was not reached: nothing was stored, and a retry is safe. */
export class EventStoreUnreachable extends Error {
  constructor(cause: unknown) {
    super(
      `The event store cannot be reached; nothing was stored. Check that the server of DATABASE_URL or EVENTSTORE_URL runs (${textOf(cause)})`,
      {
        cause,
      },
    );
    this.name = 'EventStoreUnreachable';
  }
}

/** More calls are waiting than the store can process in reasonable time. */
export class EventStoreOverloaded extends Error {
  constructor() {
    super('Too many calls are waiting for the event store; nothing was stored. Try again in a moment');
    this.name = 'EventStoreOverloaded';
  }
}

/** An append failed after it may have reached the store. */
export class AppendOutcomeUnknown extends Error {
  constructor(cause: unknown) {
    super(`An append failed and may have been stored. Read the stream and decide again (${textOf(cause)})`, { cause });
    this.name = 'AppendOutcomeUnknown';
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export function categoryOf(stream: string): string {
  const hyphen = stream.indexOf('-');
  return hyphen < 0 ? stream : stream.slice(0, hyphen);
}

/** Equivalent to comparing `categoryOf` the stream, without allocating a string per event. */
export function isInCategory(stream: string, categories: readonly string[] | undefined): boolean {
  if (categories === undefined) return true;
  return categories.some((category) => {
    return stream.startsWith(category) && (stream.length === category.length || stream[category.length] === '-');
  });
}
