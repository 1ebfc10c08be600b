import { isTransientDatabaseError } from '@florin/database';
import { type Projection, type RunningSubscription, runProjection } from '@florin/event-sourcing';
import type { PoolClient } from 'pg';
import type { Health } from './health';
import type { Log } from './log';
import type { Platform } from './platform';
import type { Tracing } from './tracing/tracing';

/** A read waits at most so long for a batch to begin; without a reader, batches are as large as they can be. */
const lingerMs = 50;

/** Starts the projections; one that has stopped turns the process unready, with the event that stopped it. */
export function startProjections(
  projections: readonly Projection<PoolClient>[],
  shardCount: number,
  { platform, tracing, health, log }: { platform: Platform; tracing: Tracing; health: Health; log: Log },
): RunningSubscription[] {
  const runtime = { ...platform, log, isTransient: isTransientDatabaseError, lingerMs };
  return projections.map((projection) => {
    const running = runProjection(tracing.projection(projection), runtime, shardCount);
    health.register(`projection ${projection.name}`, async () => {
      const status = running.status();
      return status.state === 'stopped' ? status.reason : true;
    });
    return running;
  });
}
