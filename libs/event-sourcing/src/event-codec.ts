import type { DomainEvent, EventVersions, Json } from '@florin/kernel';
import { type EventMetadata, metadataOf } from './event-metadata';
import { parseOnce } from './parse-once';
import type { RecordedEvent } from './ports/event-store.port';

export interface DecodedEvent<E extends DomainEvent<string, unknown>> {
  readonly event: E;
  readonly metadata: EventMetadata;
}

/** Decodes stored events and upcasts old versions. */
export interface EventCodec<E extends DomainEvent<string, unknown>> {
  /** All event types with their current versions, as one text. */
  readonly knownEvents: string;
  currentVersion(type: E['type']): number;
  decode(recorded: RecordedEvent): DecodedEvent<E>;
}

const parseData = parseOnce<Json>();

/** As it was stored, in any version. */
export function dataOf(event: Pick<RecordedEvent, 'data'>): Json {
  return parseData(event.data);
}

export function eventCodec<E extends DomainEvent<string, unknown>>(versions: EventVersions<E>): EventCodec<E> {
  const upcasts = new Map(Object.entries<EventVersions<E>[E['type']]>(versions));
  const currentVersion = (type: string): number => (upcasts.get(type)?.length ?? 0) + 1;
  const knownEvents = [...upcasts.keys()].sort().map((type) => `${type} ${currentVersion(type)}`);
  return {
    knownEvents: knownEvents.join(', '),
    currentVersion,
    decode: (recorded) => {
      const metadata = metadataOf(recorded);
      const steps = upcasts.get(recorded.type);
      if (steps === undefined || metadata.schemaVersion > currentVersion(recorded.type)) {
        throw new UnreadableEvent(recorded, metadata.schemaVersion);
      }
      let data = dataOf(recorded);
      for (const upcast of steps.slice(metadata.schemaVersion - 1)) data = upcast(data);
      return { event: { type: recorded.type, data } as unknown as E, metadata };
    },
  };
}

/** The event comes from a newer release or an unknown writer. Guessing its meaning could falsify balances. */
export class UnreadableEvent extends Error {
  constructor(
    readonly event: RecordedEvent,
    version: number,
  ) {
    super(
      `Event ${event.type} version ${version} at ${event.stream}@${event.revision} is unknown to this release; ` +
        'use the release that wrote it, or a newer one',
    );
    this.name = 'UnreadableEvent';
  }
}

/** Whether a command failed because its handler cannot read the stream. The bus transmits only the name of the error. */
export function isUnreadable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.name === 'UnreadableEvent' || isUnreadable(error.cause);
}
