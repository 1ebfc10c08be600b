import {
  type CatchUpProgress,
  type CheckpointStore,
  type EventStore,
  Progress,
  replay,
  type SoleMembership,
  SubscriptionInUse,
  type SubscriptionLog,
} from '@florin/event-sourcing';
import type { PoolClient } from 'pg';
import type { ReadModel } from './all-projections';

export interface ReplayRuntime {
  readonly store: EventStore;
  readonly checkpoints: CheckpointStore<PoolClient>;
  readonly isTransient: (error: unknown) => boolean;
  readonly log: SubscriptionLog;
  /** The number of shards of a read model without checkpoints. */
  readonly shardCount: number;
}

export interface ReplayedReadModel {
  readonly name: string;
  readonly events: number;
  readonly seconds: number;
}

/** Another process writes to these read models. Nothing was changed. */
export class ReadModelsInUse extends Error {
  constructor(readonly names: readonly string[]) {
    super(`A running projector writes to ${names.join(', ')}`);
    this.name = 'ReadModelsInUse';
  }
}

type Reserved = ReadModel & { readonly membership: SoleMembership<PoolClient> };

/**
 * Rebuilds read models one after the other, up to the current end of the log. The others stay readable meanwhile. Locks all
 * of them before it changes the first, so it changes none if one is in use.
 */
export async function replayReadModels(
  chosen: readonly ReadModel[],
  runtime: ReplayRuntime,
  report: (name: string, progress: CatchUpProgress & { readonly head: bigint }) => void = () => undefined,
): Promise<readonly ReplayedReadModel[]> {
  const head = await runtime.store.head();
  const reserved = await reserve(chosen, runtime);
  try {
    const replayed: ReplayedReadModel[] = [];
    for (const { projection, tables, keepsRows, membership } of reserved) {
      const { name } = projection;
      const startedAt = Date.now();
      const empty = async (tx: PoolClient): Promise<void> => {
        if (keepsRows) return;
        await tx.query(`TRUNCATE ${tables.map((table) => `read_models.${table}`).join(', ')}`);
      };
      const progress = new Progress();
      const events = await replay(projection, membership, empty, { ...runtime, progress }, head, (progressed) =>
        report(name, { ...progressed, head }),
      );
      replayed.push({ name, events, seconds: (Date.now() - startedAt) / 1_000 });
    }
    return replayed;
  } finally {
    await leave(reserved);
  }
}

async function reserve(
  chosen: readonly ReadModel[],
  { checkpoints, shardCount }: ReplayRuntime,
): Promise<readonly Reserved[]> {
  const reserved: Reserved[] = [];
  const inUse: string[] = [];
  try {
    for (const readModel of chosen) {
      const { name, undivided } = readModel.projection;
      try {
        reserved.push({
          ...readModel,
          membership: await checkpoints.joinExclusively(name, undivided ? 1 : shardCount),
        });
      } catch (error) {
        if (!(error instanceof SubscriptionInUse)) throw error;
        inUse.push(name);
      }
    }
    if (inUse.length > 0) throw new ReadModelsInUse(inUse);
    return reserved;
  } catch (error) {
    await leave(reserved);
    throw error;
  }
}

/** Idempotent. */
async function leave(reserved: readonly Reserved[]): Promise<void> {
  for (const { membership } of reserved) await membership.leave();
}
