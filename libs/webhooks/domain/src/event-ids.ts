import { deterministicId, type Uuid } from '@florin/kernel';
import type { WebhookEvent } from './event-types';

/** The kinds of objects in events. */
export type ObjectKind = 'operation' | 'invoice' | 'card' | 'transaction' | 'holder' | 'webhook_endpoint';

type EventId = WebhookEvent['id'];

const eventIdPattern = /^evt_[0-9a-f]{32}$/;

export function isEventId(id: string): id is EventId {
  return eventIdPattern.test(id);
}

/** Deterministic, so that clients can detect duplicates. One event of the log can lead to events of several objects. */
export function eventIdOf(sourceEventId: string, kind: ObjectKind): EventId {
  return publicId(deterministicId('webhook event', sourceEventId, kind));
}

/**
 * The id of a test or sample event. It depends on the request only, so that the response can contain it before the event
 * exists, and a repeated request returns the same id.
 */
export function requestedEventId(requestId: string): EventId {
  return publicId(deterministicId('requested webhook event', requestId));
}

/**
 * An id as deterministic as `eventIdOf` that starts with the time of the event (a version 7 UUID), so that events are stored in
 * the order of their ids and need no other index.
 */
export function timeOrderedEventId(sourceEventId: string, kind: ObjectKind, createdAt: string): EventId {
  const hash = deterministicId('webhook event', sourceEventId, kind).replaceAll('-', '');
  return `evt_${timeHex(Date.parse(createdAt))}7${hash.slice(13)}`;
}

export function isTimeOrdered(id: EventId): boolean {
  return id.charAt(16) === '7';
}

/** The time in a time-ordered id. */
export function eventTimeOf(id: EventId): string {
  return new Date(Number.parseInt(id.slice(4, 16), 16)).toISOString();
}

/** The lowest and the highest time-ordered id of a time, as UUIDs. */
export function eventIdsAt(time: Date): { readonly lowest: Uuid; readonly highest: Uuid } {
  const hex = timeHex(time.getTime());
  return { lowest: uuidOf(`evt_${hex.padEnd(32, '0')}`), highest: uuidOf(`evt_${hex.padEnd(32, 'f')}`) };
}

/**
 * A time-ordered id as a UUID, between those that sort before an event and those that sort after it. The event may have any id,
 * or none: then it sorts before all events of its time.
 */
export function eventCursor(createdAt: Date, id: string): Uuid {
  const { lowest, highest } = eventIdsAt(createdAt);
  if (!isEventId(id)) return lowest;
  const uuid = uuidOf(id);
  return uuid < lowest ? lowest : uuid > highest ? highest : uuid;
}

export function publicId(id: Uuid): EventId {
  return `evt_${id.replaceAll('-', '')}`;
}

export function uuidOf(id: EventId): Uuid {
  const hex = id.slice(4);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

function timeHex(ms: number): string {
  return Math.max(0, Math.min(ms, 2 ** 48 - 1))
    .toString(16)
    .padStart(12, '0');
}
