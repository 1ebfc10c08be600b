import type { RecordedEvent } from './ports/event-store.port';
import { runSubscription, type RunningSubscription } from './subscription';
import type { SubscriptionRuntime } from './subscription-options';

/** Builds one read model. What it writes through `tx` becomes visible together with its checkpoint, or not at all. */
export interface Projection<Tx> {
  /** Also the name of its checkpoint: a new name rebuilds the read model from the first event. */
  readonly name: string;
  readonly categories: readonly string[];
  /** The types of events that it needs, where those are not all: the others are passed by without ever waking it. */
  readonly eventTypes?: readonly string[];
  /** Never split, because what it does with one stream's events depends on those of others. */
  readonly undivided?: boolean;
  project(events: readonly RecordedEvent[], tx: Tx): Promise<void>;
}

export function runProjection<Tx>(
  projection: Projection<Tx>,
  runtime: SubscriptionRuntime<Tx>,
  shardCount = 1,
): RunningSubscription {
  return runSubscription({
    ...runtime,
    name: projection.name,
    categories: projection.categories,
    eventTypes: projection.eventTypes && new Set(projection.eventTypes),
    shardCount: projection.undivided ? 1 : shardCount,
    work: (membership, claim, events, upTo) =>
      membership.advance(claim, upTo, events.length === 0 ? undefined : (tx) => projection.project(events, tx)),
  });
}
