/** Where an event stands in the global order of all streams. Grows; the smallest real one is 1. */
export type Position = bigint;

export const beforeFirst: Position = 0n;

/** The revision of a stream that has no event yet; its first event gets revision 0. */
export const noStream = -1;

/** An event on its way in. `data` and `metadata` are JSON texts: serialised once, hashed, and stored to the letter. */
export interface EventToAppend {
  /** A UUID in lower case. It tells a repeated append from a rival one; the store does not look for it elsewhere. */
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

/** A stretch of the global order: the matching events in it, and how far it reaches even where none matched. */
export interface EventPage {
  readonly events: readonly RecordedEvent[];
  readonly readTo: Position;
  /** It reaches the end of the log as it was when the page was read; otherwise more is likely to lie behind it. */
  readonly isLast: boolean;
}

export interface AllEventsQuery {
  /** Only events after this position. */
  readonly after: Position;
  /** Only streams of these categories. All of them when absent. */
  readonly categories?: readonly string[];
  /** An upper bound of the events in one page. */
  readonly pageSize?: number;
}

/**
 * The truth. What every adapter promises is written down as tests in `testing/event-store.contract.ts`:
 * an append is atomic and durable when its promise resolves; readers of the global order never miss an event,
 * whoever writes and however late a transaction commits.
 */
export interface EventStore {
  /** Whether positions are counted one by one: then a position without an event shows that one was removed. */
  readonly hasGaplessPositions?: boolean;

  /**
   * Appends when the stream stands at `expectedRevision`, else rejects with `RevisionConflict`.
   * Repeating an append whose very events (by id) already stand right after `expectedRevision` succeeds and writes nothing,
   * even when others have followed them since. Without events there is nothing to check or to write.
   * `AppendTooLarge` tells that nothing was stored, and that fewer events at once may pass.
   * Any other rejection leaves the outcome open: the events may have been stored, all of them or none.
   */
  append(stream: string, expectedRevision: number, events: readonly EventToAppend[]): Promise<void>;

  /** The events of one stream in order, from a revision on, in pages; nothing when the stream does not exist. */
  readStream(stream: string, fromRevision?: number): AsyncIterable<readonly RecordedEvent[]>;

  /** One page of the global order. */
  readAll(query: AllEventsQuery): Promise<EventPage>;

  /** The position of the newest event, `beforeFirst` in an empty store. */
  head(): Promise<Position>;

  /**
   * Catches up, then follows live, until the signal aborts; then the iteration ends as if there were no more pages.
   * A page without events only tells how far was read; every page reaches further than the one before it.
   * Resumable: start again after the last `readTo`. It rejects when the store cannot be read; the runner retries.
   */
  subscribe(query: AllEventsQuery, signal: AbortSignal): AsyncIterable<EventPage>;
}

export class RevisionConflict extends Error {
  constructor(
    readonly stream: string,
    readonly expectedRevision: number,
  ) {
    super(`Stream ${stream} does not stand at revision ${expectedRevision}`);
    this.name = 'RevisionConflict';
  }
}

export class AppendTooLarge extends Error {
  constructor(
    readonly stream: string,
    readonly maxBytes: number,
  ) {
    super(
      `An append to ${stream} is larger than ${maxBytes} bytes, and nothing of it was stored; write less at once, or raise the limit of the store`,
    );
    this.name = 'AppendTooLarge';
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
