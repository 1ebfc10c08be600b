import type { RecordedEvent } from './ports/event-store.port';
import { runSubscription, type RunningSubscription } from './subscription';
import type { Batch, BatchContext, SubscriptionRuntime } from './subscription-options';

/** Builds one read model. Its writes through `tx` become visible together with the checkpoint, or not at all. */
export interface Projection<Tx> {
  /** Also the name of its checkpoint: a new name rebuilds the read model from the first event. */
  readonly name: string;
  readonly categories: readonly string[];
  /** The event types it needs, if not all of them. The others are skipped without waking it. */
  readonly eventTypes?: readonly string[];
  /** Not sharded, because processing one stream's events depends on events of others. */
  readonly undivided?: boolean;
  /** It has effects that no reader waits for, so its events do not accumulate for long. */
  readonly isPrompt?: boolean;
  /** With `eventTypes`: all event types of its categories. A stream with another type is set aside. */
  readonly knownEventTypes?: readonly string[];
  project(events: readonly RecordedEvent[], tx: Tx, context?: BatchContext): Promise<void>;
}

export function runProjection<Tx>(
  projection: Projection<Tx>,
  runtime: SubscriptionRuntime<Tx>,
  shardCount = 1,
): RunningSubscription {
  const project = ({ events, commit, ...context }: Batch<Tx>): Promise<void> =>
    commit(events.length === 0 ? undefined : (tx) => projection.project(events, tx, context));
  return runSubscription({
    ...runtime,
    ...(projection.isPrompt && { lingerAloneMs: undefined }),
    name: projection.name,
    categories: projection.categories,
    eventTypes: projection.eventTypes && new Set(projection.eventTypes),
    shardCount: projection.undivided ? 1 : shardCount,
    knownEventTypes: projection.knownEventTypes && new Set(projection.knownEventTypes),
    work: project,
    probe: project,
  });
}
