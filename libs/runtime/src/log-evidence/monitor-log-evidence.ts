import { PostgresLogCheckpoints } from '@florin/checkpoint-store-postgres';
import type { Config } from '../config';
import type { Condition, Health } from '../health';
import type { Metrics } from '../metrics';
import type { Platform } from '../platform';
import { sinkName } from './checkpoint-sink';

/**
 * Reads the progress of the signer and the sink from the database, because they run on another thread or in another
 * replica. It never makes the service unready: without evidence the product still works, and an alert is enough.
 */
export function monitorLogEvidence(
  { CHECKPOINT_SINK }: Pick<Config, 'CHECKPOINT_SINK'>,
  { pool, checkpoints }: Pick<Platform, 'pool' | 'checkpoints'>,
  { health, metrics }: { readonly health: Health; readonly metrics: Metrics },
): void {
  const stored = new PostgresLogCheckpoints(pool);
  const sinkBehind = async (): Promise<number | undefined> => {
    if (CHECKPOINT_SINK === undefined) return undefined;
    const written = await checkpoints.position(sinkName(CHECKPOINT_SINK));
    return ((await stored.newest())?.number ?? 0) - Number(written);
  };
  metrics.gauge({
    name: 'florin_log_checkpoint_position',
    help: 'The position up to which the log is signed',
    read: async () => Number((await stored.newest())?.position ?? 0n),
  });
  metrics.gauge({
    name: 'florin_checkpoint_sink_behind',
    help: 'Signed checkpoints that the sink does not have yet',
    read: sinkBehind,
  });
  health.register('log evidence', async (): Promise<Condition> => {
    const newest = await stored.newest();
    const sink = { sink: CHECKPOINT_SINK === undefined ? 'none' : 'configured', sinkBehind: await sinkBehind() };
    return { ok: true, checkpoint: newest?.number ?? 0, position: String(newest?.position ?? 0n), ...sink };
  });
}
