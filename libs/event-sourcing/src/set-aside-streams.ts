import { BlockedEvent } from './blocked-event';
import { UnreadableEvent } from './event-codec';
import { metadataOf } from './event-metadata';
import type { SetAsideStream } from './ports/checkpoint-store.port';
import type { Position, RecordedEvent } from './ports/event-store.port';
import type { BatchContext } from './subscription-options';

const noStreams: ReadonlyMap<string, SetAsideStream> = new Map();

/** The set-aside streams of a shard, as they are stored. */
export class SetAsideStreams {
  private readonly byStream: Map<string, SetAsideStream>;

  constructor(stored: readonly SetAsideStream[]) {
    this.byStream = new Map(stored.map((entry) => [entry.stream, entry]));
  }

  get size(): number {
    return this.byStream.size;
  }

  /** In the order of the log, so that a stream comes after those that it waits for. */
  inOrder(): SetAsideStream[] {
    return [...this.byStream.values()].sort((a, b) => (a.position < b.position ? -1 : 1));
  }

  get(stream: string): SetAsideStream | undefined {
    return this.byStream.get(stream);
  }

  put(entries: Iterable<SetAsideStream>): void {
    for (const entry of entries) this.byStream.set(entry.stream, entry);
  }

  remove(streams: Iterable<string>): void {
    for (const stream of streams) this.byStream.delete(stream);
  }

  /** The events of a batch that have to be processed, if `added` streams are set aside as well. */
  without(events: readonly RecordedEvent[], added = noStreams): readonly RecordedEvent[] {
    if (this.byStream.size === 0 && added.size === 0) return events;
    return events.filter(({ stream, position }) => {
      const entry = this.byStream.get(stream) ?? added.get(stream);
      return entry === undefined || position < entry.position;
    });
  }

  context(added: ReadonlyMap<string, SetAsideStream>): BatchContext {
    const setAsideFrom = (stream: string): Position | undefined =>
      (this.byStream.get(stream) ?? added.get(stream))?.position;
    return { isLate: false, setAsideFrom };
  }
}

export function setAsideAt(event: RecordedEvent, error: unknown): SetAsideStream {
  const { stream, position, revision, type } = event;
  const { schemaVersion } = metadataOf(event);
  const reason = error instanceof Error ? error.message : String(error);
  return { stream, position, revision, type, schemaVersion, reason };
}

/** An event that is unknown to this release cannot be ignored: a newer one may need it. */
export function requireKnown(events: readonly RecordedEvent[], known: ReadonlySet<string> | undefined): void {
  const unknown = known && events.find(({ type }) => !known.has(type));
  if (unknown !== undefined) throw new UnreadableEvent(unknown, metadataOf(unknown).schemaVersion);
}

/** Whether a stream is worth another try while this process runs. */
export function isRetried(error: unknown): boolean {
  return error instanceof BlockedEvent && error.isRetried;
}
