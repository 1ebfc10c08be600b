import type { DomainEvent } from './decider';
import type { Json } from './json';

/** Converts the data of an event from one schema version to the next. Pure, and kept forever. */
export type Upcast = (data: Json) => Json;

/**
 * The upcasters of each event type, oldest first. The current version is their number plus one: to change the shape of
 * an event, append an upcaster; never edit an existing one.
 */
export type EventVersions<E extends DomainEvent<string, unknown>> = { readonly [Type in E['type']]: readonly Upcast[] };
