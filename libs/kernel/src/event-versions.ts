import type { DomainEvent } from './decider';
import type { Json } from './json';

/** Converts the data of an event from one schema version to the next. Pure, and kept forever. */
export type Upcaster = (data: Json) => Json;

/**
 * The upcasters of each event type, oldest first. An event type with n upcasters is at version n + 1. To change the shape
 * of an event, append an upcaster; never edit an existing one.
 */
export type EventVersions<E extends DomainEvent<string, unknown>> = {
  readonly [Type in E['type']]: readonly Upcaster[];
};
