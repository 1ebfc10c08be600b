import {
  beforeFirst,
  categoryOf,
  type ClosedStreams,
  type EventStore,
  metadataOf,
  type Position,
  type RecordedEvent,
} from '@florin/event-sourcing';
import type { ArchiveTables, LiveStream } from './archive-tables';

export interface ClosedStreamSearchOptions {
  /** Reads streams that are partly archived. */
  readonly store: Pick<EventStore, 'readStream'>;
  readonly rules: readonly ClosedStreams[];
  /** Only streams whose newest event was recorded before. */
  readonly before: Date;
  readonly signal: AbortSignal;
}

const candidatesPerPage = 1_000;

/** Finds streams that can be archived. */
export class ClosedStreamSearch {
  private readonly ruleOf: ReadonlyMap<string, ClosedStreams>;

  constructor(
    private readonly options: ClosedStreamSearchOptions,
    private readonly tables: ArchiveTables,
  ) {
    this.ruleOf = new Map(options.rules.map((rule) => [rule.category, rule]));
  }

  /** Closed streams whose events are all old and not after the limit, in the order in which they were closed. */
  async *closedStreams(limit: Position): AsyncGenerator<LiveStream> {
    const types = this.options.rules.flatMap(({ closingEvents }) => closingEvents);
    const seen = new Set<string>();
    for (let after = beforeFirst; ;) {
      const page = await this.tables.closingEvents(types, after, limit, candidatesPerPage);
      const last = page.at(-1);
      if (last === undefined) return;
      after = last.position;
      const names = [...new Set(page.map(({ stream }) => stream))].filter((stream) => !seen.has(stream));
      for (const name of names) seen.add(name);
      const live = await this.tables.liveStreams(names);
      for (const stream of live) if (await this.isDue(stream, limit)) yield stream;
      this.options.signal.throwIfAborted();
      if (live.length > 0 && live.every((stream) => !this.isOld(stream))) return;
    }
  }

  /** Reads the streams again, and leaves out those that were continued meanwhile. */
  async stillClosed(streams: readonly LiveStream[]): Promise<readonly LiveStream[]> {
    const limit = await this.tables.limit();
    const live = await this.tables.liveStreams(streams.map(({ stream }) => stream));
    const still: LiveStream[] = [];
    for (const stream of live) if (await this.isDue(stream, limit)) still.push(stream);
    return still;
  }

  private async isDue(live: LiveStream, limit: Position): Promise<boolean> {
    const rule = this.ruleOf.get(categoryOf(live.stream));
    if (rule === undefined || live.events.at(-1)!.position > limit || !this.isOld(live)) return false;
    const { stream, events } = live;
    return rule.isClosed(stream, events[0]!.revision === 0 ? events : await this.wholeStream(stream));
  }

  private isOld({ events }: LiveStream): boolean {
    try {
      return new Date(metadataOf(events.at(-1)!).recordedAt) < this.options.before;
    } catch {
      return false;
    }
  }

  private async wholeStream(stream: string): Promise<readonly RecordedEvent[]> {
    const whole: RecordedEvent[] = [];
    for await (const page of this.options.store.readStream(stream)) whole.push(...page);
    return whole;
  }
}
