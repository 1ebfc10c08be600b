import type { Position } from './ports/event-store.port';
import { type Projection, runProjection } from './run-projection';
import { pause } from './pause';
import type { SubscriptionRuntime } from './subscription-options';

export interface CatchUpOptions {
  readonly shardCount?: number;
  /** Called about once a second. */
  readonly report?: (progress: CatchUpProgress) => void;
  /** Stops when it aborts, with its reason. Finished work stays committed. */
  readonly signal?: AbortSignal;
}

export interface CatchUpProgress {
  readonly events: number;
  readonly position: Position;
}

const lookEveryMs = 50;
const reportEveryMs = 1_000;

/** Runs a projection until it has processed all events up to `head`, and returns their number. */
export async function catchUp<Tx>(
  projection: Projection<Tx>,
  runtime: SubscriptionRuntime<Tx>,
  head: Position,
  { shardCount, report, signal: shared }: CatchUpOptions = {},
): Promise<number> {
  let events = 0;
  // A separate signal: Node warns when more than ten projections wait for the same one.
  const signal = AbortSignal.any(shared === undefined ? [] : [shared]);
  const counted: Projection<Tx> = {
    ...projection,
    project: async (batch, tx) => {
      await projection.project(batch, tx);
      events += batch.length;
    },
  };
  const running = runProjection(counted, runtime, shardCount);
  try {
    for (let reportedAt = Date.now(); ;) {
      const position = await runtime.checkpoints.position(projection.name);
      if (position >= head) return events;
      const status = running.status();
      if (status.state === 'stopped') throw new Error(`The projection ${projection.name} ${status.reason}`);
      signal.throwIfAborted();
      if (Date.now() - reportedAt >= reportEveryMs) {
        report?.({ events, position });
        reportedAt = Date.now();
      }
      await pause(lookEveryMs, signal);
    }
  } finally {
    await running.stop();
  }
}
