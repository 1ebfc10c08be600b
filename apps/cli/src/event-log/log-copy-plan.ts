import { PostgresLogCheckpoints } from '@florin/checkpoint-store-postgres';
import { createPool, type EventStoreKind } from '@florin/database';
import {
  beforeFirst,
  checkpointDigest,
  type EventStore,
  type LogCheckpoint,
  type LogState,
  readStoreHistory,
} from '@florin/event-sourcing';
import {
  type Config,
  copySessionName,
  knownSigningKey,
  type LogCopyStores,
  readIdentity,
  requireStore,
} from '@florin/runtime/tools';
import { CouldNotRun } from '../cli-errors';
import { loadCheckpoints } from './checkpoint-source';
import { emptyLog } from './with-event-log';

export interface CopyPlan {
  /** The store that has the log now. */
  readonly identity: { readonly id: string };
  /** The target has the log already. */
  readonly isDone: boolean;
  /** The target is empty; otherwise an interrupted copy continues. */
  readonly isNew: boolean;
  /** The heads of both logs. */
  readonly sourceHead: bigint;
  readonly targetHead: bigint;
  /** Whether a missing position in the source is a removed event. */
  readonly hasGaplessPositions: boolean;
  /** The signed checkpoints of the source, and what is wrong about them. */
  readonly trusted: readonly LogCheckpoint[];
  readonly checkpointProblems: readonly string[];
  /** Signs the copy; absent if the log is not signed. */
  readonly nextCheckpoint?: (state: LogState & { readonly store: string }) => LogCheckpoint;
  /** The id in the target itself, once it has one. */
  targetId(): Promise<string | undefined>;
}

/** Finds out what is to be done. Changes nothing. */
export async function planCopy(
  to: EventStoreKind,
  { connection, source, target }: LogCopyStores,
  config: Config,
): Promise<CopyPlan> {
  const pool = createPool(connection, { max: 1, applicationName: copySessionName });
  try {
    const identity = await readIdentity(pool);
    if (identity === undefined) throw emptyLog('copy');
    const isDone = identity.kind === to;
    const current = isDone ? target : source;
    const { id } = (await requireStore(pool, identity.kind, current))!;
    if (id === null) {
      throw new CouldNotRun('The event store has no recorded identity yet. Start this release of Florin on it once.');
    }
    const [sourceHead, targetHead] = [await source.head(), await target.head()];
    const targetId = async (): Promise<string | undefined> => (await readStoreHistory(target))?.storeId;
    const common = { identity: { id }, isDone, sourceHead, targetHead, targetId };
    const hasGaplessPositions = source.hasGaplessPositions ?? false;
    if (isDone) return { ...common, isNew: false, hasGaplessPositions, trusted: [], checkpointProblems: [] };
    if (sourceHead === beforeFirst) throw emptyLog('copy');
    const isNew = to === 'postgres' ? targetHead === beforeFirst : await isNewServer(target, targetHead, id);
    const newest = await new PostgresLogCheckpoints(pool).newest();
    if (newest === undefined) return { ...common, isNew, hasGaplessPositions, trusted: [], checkpointProblems: [] };
    const { trusted, findings } = await loadCheckpoints({ checkpoints: 'stored' }, { connection }, config);
    const checkpointProblems = findings.map(({ at, text }) => `${at}: ${text}`);
    return {
      ...common,
      isNew,
      hasGaplessPositions,
      trusted,
      checkpointProblems,
      nextCheckpoint: signerAfter(newest, config),
    };
  } finally {
    await pool.end();
  }
}

/** A server is used if it is empty, or has an interrupted copy of this log. */
async function isNewServer(server: EventStore, head: bigint, sourceId: string): Promise<boolean> {
  const history = await readStoreHistory(server);
  if (history === undefined && head === beforeFirst) return true;
  if (history?.movedTo === undefined && history?.copiedFrom?.storeId === sourceId) return false;
  throw new CouldNotRun(
    'The server of EVENTSTORE_URL has events that are not a copy of this log. Set EVENTSTORE_URL to an empty server.',
  );
}

function signerAfter(newest: LogCheckpoint, config: Config): NonNullable<CopyPlan['nextCheckpoint']> {
  const key = knownSigningKey(config);
  if (key === undefined) {
    throw new CouldNotRun(
      'The log is signed, and so must be its copy. Set LOG_SIGNING_KEY to the key of the service projector.',
    );
  }
  return (state) => {
    const now = new Date().toISOString();
    const time = now > newest.time ? now : newest.time;
    return key.sign({ ...state, number: newest.number + 1, time, previous: checkpointDigest(newest) });
  };
}
