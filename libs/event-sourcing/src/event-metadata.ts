import { sha256 } from '@florin/kernel';
import type { EventToAppend, RecordedEvent } from './ports/event-store.port';

/** What stands beside every event. `hash` is always the last key, which is what lets a verifier cut it off again. */
export interface EventMetadata {
  readonly schemaVersion: number;
  readonly recordedAt: string;
  readonly correlationId: string;
  readonly causationId: string;
  readonly traceparent?: string;
  /** SHA-256 over this event and the hash of the one before it in the stream. */
  readonly hash: string;
}

/** The hash that the first event of every stream is chained to. */
export const firstHash = '';

export interface Unsealed {
  readonly stream: string;
  readonly revision: number;
  readonly id: string;
  readonly type: string;
  readonly data: string;
  readonly metadata: Omit<EventMetadata, 'hash'>;
}

/** Adds the chained hash. Whoever changes, drops or reorders a stored event later breaks the chain from there on. */
export function sealEvent(event: Unsealed, previousHash: string): { sealed: EventToAppend; hash: string } {
  const plain = JSON.stringify(event.metadata);
  const hash = chainedHash(previousHash, event, plain);
  const metadata = `${plain.slice(0, -1)},"hash":"${hash}"}`;
  return { sealed: { id: event.id, type: event.type, data: event.data, metadata }, hash };
}

export function metadataOf(event: Pick<EventToAppend, 'metadata'>): EventMetadata {
  return JSON.parse(event.metadata) as EventMetadata;
}

/** The first event that does not continue the chain, or none when the events stand as they were written. */
export function findBrokenLink(
  events: Iterable<RecordedEvent>,
  previousHash = firstHash,
  nextRevision = 0,
): RecordedEvent | undefined {
  for (const event of events) {
    const { hash } = metadataOf(event);
    const plain = event.metadata.replace(`,"hash":"${hash}"}`, '}');
    if (event.revision !== nextRevision || chainedHash(previousHash, event, plain) !== hash) return event;
    previousHash = hash;
    nextRevision += 1;
  }
  return undefined;
}

function chainedHash(previous: string, event: Omit<Unsealed, 'metadata'>, plainMetadata: string): string {
  return sha256(
    `${previous}\n${event.stream}\n${event.revision}\n${event.id}\n${event.type}\n${plainMetadata}\n${event.data}`,
  );
}
