import type { Position } from '@florin/event-sourcing';
import { LRUCache } from 'lru-cache';

/** The last revision of a stream, up to a position of the log. */
interface StreamEnd {
  readonly revision: number;
  readonly asOf: Position;
}

/** The newest events in memory. */
export interface RecentEvents {
  covers(after: Position): boolean;
  /** Whether they extend to a position, at once or within this time. */
  reaches(position: Position, withinMs: number): Promise<boolean>;
  /** -1 if no event of the stream is among them. */
  newestRevision(stream: string): number;
}

const rememberedStreams = 20_000;

/** Events reach the live subscription a few milliseconds after their append. */
const maxWaitMs = 200;

/**
 * Most streams are read again only to find no new event. Each read is a call to the server. One call returns the head of the log
 * for all of them: a stream has no new event if the live subscription has reached that head and has none.
 */
export class StreamEnds {
  private readonly ends = new LRUCache<string, StreamEnd>({ max: rememberedStreams });

  constructor(
    private readonly head: () => Promise<Position>,
    private readonly recent: RecentEvents,
  ) {}

  /** The stream ended with this revision at a position of the log that was known before it was read or written. */
  remember(stream: string, revision: number, asOf: Position): void {
    this.ends.set(stream, { revision, asOf });
  }

  /** Whether the stream has no event from this revision on. If false, it has to be read. */
  async endsBefore(stream: string, revision: number): Promise<boolean> {
    const end = this.ends.get(stream);
    if (end?.revision !== revision - 1 || !this.recent.covers(end.asOf)) return false;
    const head = await this.head();
    if (!(await this.recent.reaches(head, maxWaitMs))) return false;
    // Meanwhile the oldest of the recent events may have been dropped.
    if (!this.recent.covers(end.asOf) || this.recent.newestRevision(stream) >= revision) return false;
    this.remember(stream, end.revision, head);
    return true;
  }
}
