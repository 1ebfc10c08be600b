import type { Membership, SoleMembership } from './ports/checkpoint-store.port';
import type { Position } from './ports/event-store.port';
import { type Projection, runProjection } from './run-projection';
import { pause } from './shard';
import type { SubscriptionRuntime } from './subscription-options';

export interface CatchUpOptions {
  readonly shardCount?: number;
  /** Told about once a second. */
  readonly report?: (progress: CatchUpProgress) => void;
  /** Gives up when it aborts, with its reason; what was done so far stays done. */
  readonly signal?: AbortSignal;
}

export interface CatchUpProgress {
  readonly events: number;
  readonly position: Position;
}

const lookEveryMs = 50;
const reportEveryMs = 1_000;

/** Runs a projection until it has dealt with everything up to `head`, and tells how many events that were. */
export async function catchUp<Tx>(
  projection: Projection<Tx>,
  runtime: SubscriptionRuntime<Tx>,
  head: Position,
  { shardCount, report, signal = new AbortController().signal }: CatchUpOptions = {},
): Promise<number> {
  let events = 0;
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

/**
 * Makes a read model anew: empties it and puts it back before the first event in one transaction, then catches up. Nobody
 * else can work on it meanwhile. Wherever it is cut off, its checkpoint tells how far it got, and whoever runs the
 * projection next goes on from there.
 */
export async function replay<Tx>(
  projection: Projection<Tx>,
  membership: SoleMembership<Tx>,
  empty: (tx: Tx) => Promise<void>,
  runtime: SubscriptionRuntime<Tx>,
  head: Position,
  report?: CatchUpOptions['report'],
): Promise<number> {
  await membership.startOver(empty);
  const { position } = runtime.checkpoints;
  const join = async (): Promise<Membership<Tx>> => membership;
  const checkpoints = { join, position: position.bind(runtime.checkpoints) };
  return catchUp(projection, { ...runtime, checkpoints }, head, { shardCount: membership.shardCount, report });
}
