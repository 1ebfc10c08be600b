import { type Actor, sha256 } from '@florin/kernel';
import { parseOnce } from './parse-once';
import type { EventToAppend, RecordedEvent } from './ports/event-store.port';

/** The metadata of every event. `hash` is always the last key, so that a verifier can cut it off. */
export interface EventMetadata {
  readonly schemaVersion: number;
  readonly recordedAt: string;
  readonly correlationId: string;
  readonly causationId: string;
  readonly traceparent?: string;
  /** Who caused it. Absent in events of early releases. */
  readonly actor?: Actor;
  /** SHA-256 of this event and the hash of the previous one in the stream. */
  readonly hash: string;
}

/** The previous hash of the first event of every stream. */
export const firstHash = '';

export interface UnsealedEvent {
  readonly stream: string;
  readonly revision: number;
  readonly id: string;
  readonly type: string;
  readonly data: string;
  readonly metadata: Omit<EventMetadata, 'hash'>;
}

/** Adds the chained hash. Changing, removing or reordering a stored event breaks the chain from there on. */
export function sealEvent(event: UnsealedEvent, previousHash: string): { sealed: EventToAppend; hash: string } {
  const plain = JSON.stringify(event.metadata);
  const hash = chainedHash(previousHash, event, plain);
  const metadata = `${plain.slice(0, -1)},"hash":"${hash}"}`;
  return { sealed: { id: event.id, type: event.type, data: event.data, metadata }, hash };
}

const parseMetadata = parseOnce<EventMetadata>();

export function metadataOf(event: Pick<EventToAppend, 'metadata'>): EventMetadata {
  return parseMetadata(event.metadata);
}

/** The first event that does not continue the chain, or undefined when all events are unchanged. */
export function findBrokenLink(
  events: Iterable<RecordedEvent>,
  previousHash = firstHash,
  nextRevision = 0,
): RecordedEvent | undefined {
  for (const event of events) {
    const { hash } = metadataOf(event);
    const plain = withoutHash(event.metadata, `,"hash":"${hash}"}`);
    if (event.revision !== nextRevision || chainedHash(previousHash, event, plain) !== hash) return event;
    previousHash = hash;
    nextRevision += 1;
  }
  return undefined;
}

/** The hash is at the end, unless the metadata were changed, so it need not be searched. */
function withoutHash(metadata: string, ending: string): string {
  return metadata.endsWith(ending) ? `${metadata.slice(0, -ending.length)}}` : metadata.replace(ending, '}');
}

function chainedHash(previous: string, event: Omit<UnsealedEvent, 'metadata'>, plainMetadata: string): string {
  return sha256(
    `${previous}\n${event.stream}\n${event.revision}\n${event.id}\n${event.type}\n${plainMetadata}\n${event.data}`,
  );
}
