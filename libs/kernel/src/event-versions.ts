import type { DomainEvent } from './decider';
import type { Json } from './json';

/** Lifts the data of an event from one schema version to the next. Pure, and kept for ever. */
export type Upcast = (data: Json) => Json;

/**
 * For each event type the steps that lift older versions, the oldest first. The version written today is their number
 * plus one: changing an event's shape means adding a step here, never editing history.
 */
export type EventVersions<E extends DomainEvent<string, unknown>> = { readonly [Type in E['type']]: readonly Upcast[] };
