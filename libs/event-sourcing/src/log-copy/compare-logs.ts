import { prefetch } from '../follow-events';
import {
  beforeFirst,
  type EventPage,
  type EventStore,
  type Position,
  type RecordedEvent,
} from '../ports/event-store.port';
import type { ScanProgress } from '../scan-log';
import { identityStream } from '../store-identity';

export type ReadableLog = Pick<EventStore, 'head' | 'readAll'>;

/** Gets every event of both logs in their order. */
export interface ComparisonVisitor {
  /** Also the identity of the store, which is not copied. */
  source(event: RecordedEvent): void;
  target(event: RecordedEvent): void;
  /** Both have the same event. */
  pair(source: Position, target: Position): void;
  /** At the end of a page, and at the end. */
  flush(): Promise<void>;
}

export interface LogComparison {
  /** How many events both have. */
  readonly events: number;
  /** The position in the source after the last of them. */
  readonly copiedTo: Position;
  /** The head of the source when the comparison began. */
  readonly head: Position;
  /** Whether the target has all events up to there. */
  readonly isComplete: boolean;
}

/** The target has another event than the source, so it is not a copy of it. */
export class CopyDiffers extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CopyDiffers';
  }
}

/** Every store has its own identity. */
export function isCopied({ stream }: Pick<RecordedEvent, 'stream'>): boolean {
  return stream !== identityStream;
}

/** Compares two logs event by event, up to the end of the target. The identities of the stores are not compared. */
export async function compareLogs(
  source: ReadableLog,
  target: ReadableLog,
  visitor: ComparisonVisitor,
  report: (progress: ScanProgress) => void = () => undefined,
): Promise<LogComparison> {
  const copies = new LogCursor(target, await target.head());
  const head = await source.head();
  let [events, copiedTo] = [0, beforeFirst];
  for await (const page of pagesOf(source, beforeFirst, head)) {
    for (const event of page.events) {
      visitor.source(event);
      if (!isCopied(event)) continue;
      const copy = copies.buffered(visitor) ?? (await copies.next(visitor));
      if (copy === undefined) {
        await visitor.flush();
        return { events, copiedTo, head, isComplete: false };
      }
      requireSame(event, copy);
      visitor.pair(event.position, copy.position);
      events += 1;
      copiedTo = event.position;
    }
    await visitor.flush();
    report({ events, readTo: page.readTo < head ? page.readTo : head, head });
  }
  const surplus = await copies.next(visitor);
  if (surplus !== undefined) {
    throw new CopyDiffers(`The target has event ${describe(surplus)}, which follows the end of the source`);
  }
  await visitor.flush();
  return { events, copiedTo, head, isComplete: true };
}

/** Pages after a position up to another one. The next page is read while one is processed. */
export async function* pagesOf(log: ReadableLog, after: Position, head: Position): AsyncGenerator<EventPage> {
  const read = (from: Position): Promise<EventPage> | undefined =>
    from < head ? prefetch(log.readAll({ after: from, pageSize: 5_000 })) : undefined;
  for (let [readTo, ahead] = [after, read(after)]; ahead !== undefined;) {
    const page: EventPage = await ahead;
    if (page.readTo <= readTo)
      throw new Error(`The log ends at ${readTo} although its head is at ${head}; check the store`);
    readTo = page.readTo;
    ahead = read(readTo);
    const isBeyond = page.readTo > head;
    yield isBeyond ? { ...page, events: page.events.filter(({ position }) => position <= head) } : page;
  }
}

/** The events of the target, one after another. */
class LogCursor {
  private readonly pages: AsyncGenerator<EventPage>;
  private events: readonly RecordedEvent[] = [];
  private index = 0;

  constructor(log: ReadableLog, head: Position) {
    this.pages = pagesOf(log, beforeFirst, head);
  }

  /** The next event to compare, if it has been read. */
  buffered(visitor: ComparisonVisitor): RecordedEvent | undefined {
    while (this.index < this.events.length) {
      const event = this.events[this.index++]!;
      visitor.target(event);
      if (isCopied(event)) return event;
    }
    return undefined;
  }

  async next(visitor: ComparisonVisitor): Promise<RecordedEvent | undefined> {
    for (;;) {
      const event = this.buffered(visitor);
      if (event !== undefined) return event;
      const page = await this.pages.next();
      if (page.done) return undefined;
      this.events = page.value.events;
      this.index = 0;
    }
  }
}

const compared = ['stream', 'revision', 'id', 'type', 'data', 'metadata'] as const;

function requireSame(event: RecordedEvent, copy: RecordedEvent): void {
  const different = compared.find((field) => event[field] !== copy[field]);
  if (different === undefined) return;
  throw new CopyDiffers(
    `Event ${describe(event)} of the source is ${describe(copy)} in the target, with another ${different}`,
  );
}

function describe({ stream, revision, position }: RecordedEvent): string {
  return `${stream}@${revision} (position ${position})`;
}
