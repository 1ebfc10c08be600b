import type { StoredEvent } from './stored-log';

/** An event as JSON: bytes as base64, and the position as text because it can exceed a JSON number. */
interface WrittenEvent extends Omit<StoredEvent, 'position' | 'data' | 'metadata'> {
  readonly position: string;
  readonly data: string;
  readonly metadata: string;
}

/** All events of one append on one line, so an append is stored completely or not at all. */
export function lineOf(events: readonly StoredEvent[]): string {
  const written = events.map(({ position, data, metadata, ...rest }): WrittenEvent => ({
    ...rest,
    position: position.toString(),
    data: Buffer.from(data).toString('base64'),
    metadata: Buffer.from(metadata).toString('base64'),
  }));
  return `${JSON.stringify(written)}\n`;
}

export function eventsOf(line: string): StoredEvent[] {
  return (JSON.parse(line) as WrittenEvent[]).map(({ position, data, metadata, ...rest }) => ({
    ...rest,
    position: BigInt(position),
    data: Buffer.from(data, 'base64'),
    metadata: Buffer.from(metadata, 'base64'),
  }));
}
