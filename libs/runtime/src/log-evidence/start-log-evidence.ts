import { PostgresLogCheckpoints } from '@florin/checkpoint-store-postgres';
import { createPool, type DatabaseConnection } from '@florin/database';
import { Progress, runCheckpointSink, runLogSigner } from '@florin/event-sourcing';
import { systemClock } from '@florin/kernel';
import type { Stores } from '../choose-stores';
import type { Config } from '../config';
import type { Log } from '../log';
import { openCheckpointSink, sinkName } from './checkpoint-sink';
import { openSigningKeys, type SigningKeys } from './signing-keys';

export interface RunningEvidence {
  stop(): Promise<void>;
}

/** How long events accumulate before they are read. No reader waits for the signer. */
const lingerMs = 500;

/** Signs the log and fills the sink. Their failures never stop the product: they are logged, and metrics show the lag. */
export function startLogEvidence(
  config: Config,
  { store, checkpoints, isOutage }: Pick<Stores, 'store' | 'checkpoints' | 'isOutage'>,
  connection: DatabaseConnection,
  log: Log,
): RunningEvidence {
  const keys = keysOrReason(config, log);
  if (keys === undefined) return { stop: async () => undefined };
  const pool = createPool(connection, { max: 1, applicationName: 'florin-log-evidence', onError: () => undefined });
  const checkpointLog = new PostgresLogCheckpoints(pool);
  const signer = runLogSigner({
    ...{ store, checkpoints, checkpointLog, ...keys, log, lingerMs },
    ...{ isTransient: isOutage, storeName: config.EVENT_STORE, clock: systemClock, progress: new Progress() },
  });
  const publicKeys = keys.earlierKeys.with([keys.key.publicKey]);
  const { CHECKPOINT_SINK } = config;
  const sink =
    CHECKPOINT_SINK === undefined
      ? undefined
      : runCheckpointSink({
          ...{ name: sinkName(CHECKPOINT_SINK), sink: openCheckpointSink(CHECKPOINT_SINK) },
          ...{ checkpointLog, checkpoints, publicKeys, log },
        });
  return {
    stop: async () => {
      await signer.stop();
      await sink?.stop();
      await pool.end();
    },
  };
}

/** Logs why there are none. */
function keysOrReason(config: Config, log: Log): SigningKeys | undefined {
  try {
    const keys = openSigningKeys(config);
    if (keys === undefined) {
      log.info('The log is not signed. Set LOG_SIGNING_KEY so that a rewritten log can be detected.');
    }
    return keys;
  } catch (error) {
    log.error(
      { err: error },
      `The log is not signed: ${(error as Error).message}. Restore the key from a backup, or move the file away to get a new key, and restart.`,
    );
    return undefined;
  }
}
