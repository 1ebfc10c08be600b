import { findBrokenLink } from '../../event-metadata';
import type { RecordedEvent } from '../../ports/event-store.port';

export function streamsIn(recorded: readonly RecordedEvent[]): ReadonlyMap<string, readonly RecordedEvent[]> {
  const streams = new Map<string, RecordedEvent[]>();
  for (const event of recorded) {
    const stream = streams.get(event.stream);
    if (stream === undefined) streams.set(event.stream, [event]);
    else stream.push(event);
  }
  return streams;
}

/** Streams whose chained hashes do not match. */
export function brokenHashChains(streams: ReadonlyMap<string, readonly RecordedEvent[]>): string[] {
  return [...streams].flatMap(([stream, events]) => {
    const broken = findBrokenLink(events);
    return broken === undefined ? [] : [`the hash chain of ${stream} breaks at ${broken.revision}`];
  });
}

export function duplicatesIn(texts: readonly string[]): string[] {
  return texts.filter((text, index) => texts.indexOf(text) !== index);
}
