import {
  type CheckpointStore,
  type EventStore,
  type Progress,
  type Projection,
  type RunningSubscription,
  runProjection,
} from '@florin/event-sourcing';
import type { PoolClient } from 'pg';
import type { Log } from '../log';
import type { IsOutage } from '../transient';
import type { Tracing } from '../tracing/tracing.port';

/** How long a batch collects events if no read waits for it. */
const lingerMs = 50;

export interface ProjectionPlatform {
  readonly store: EventStore;
  readonly checkpoints: CheckpointStore<PoolClient>;
  readonly isOutage: IsOutage;
  readonly progress: Progress;
  readonly tracing: Tracing;
  readonly log: Log;
}

export function startProjections(
  projections: readonly Projection<PoolClient>[],
  shardCount: number,
  { tracing, isOutage, ...platform }: ProjectionPlatform,
): RunningSubscription[] {
  const runtime = { ...platform, isTransient: isOutage, lingerMs };
  return projections.map((projection) => runProjection(tracing.projection(projection), runtime, shardCount));
}
