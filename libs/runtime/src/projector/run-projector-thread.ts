import { awaitedForMs, Progress, type Projection, runProjection } from '@florin/event-sourcing';
import type { KeyWrapper } from '@florin/kernel';
import { parentPort, workerData } from 'node:worker_threads';
import type { PoolClient } from 'pg';
import { chooseStores } from '../choose-stores';
import { createLog } from '../log';
import { startLogEvidence } from '../log-evidence/start-log-evidence';
import { startTracing } from '../tracing/tracing';
import { openVaultKeys } from '../vault/vault';
import type { FromProjector, ProjectorSetting, ToProjector } from './projector-messages';

/** Reports the progress of projections to the main thread, where reads wait for them. */
class SharedProgress extends Progress {
  constructor(private readonly send: (message: FromProjector) => void) {
    super();
  }

  override report(...[subscription, shard, shardCount, position]: Parameters<Progress['report']>): void {
    super.report(subscription, shard, shardCount, position);
    this.send({ type: 'moved', subscription, shard, shardCount, position });
  }

  override reportSetAside(subscription: string, shard: number, streams: number): void {
    super.reportSetAside(subscription, shard, streams);
    this.send({ type: 'set-aside', subscription, shard, streams });
  }

  override forget(subscription: string, shard: number): void {
    super.forget(subscription, shard);
    this.send({ type: 'left', subscription, shard });
  }
}

/** The projections, with the vault keys that unwrap the keys of holders. */
export type ProjectionsOf = (vaultKeys: KeyWrapper) => readonly Projection<PoolClient>[];

/** How long a batch collects events if no read waits for it. */
const lingerMs = 50;

/**
 * The same in a single process, where a read that waits ends it. Most operations complete within this time, so their rows are
 * written once.
 */
const lingerAloneMs = 250;

/** How long a `hurry` applies if no events arrive. Long enough for the next one to arrive. */
const hurryForMs = 2 * awaitedForMs;

/** Runs the projections, and the signer of the log, which also reads all of it, until the main thread sends `stop`. */
export async function runProjectorThread(projectionsOf: ProjectionsOf): Promise<void> {
  const main = parentPort;
  if (main === null) throw new Error('A projector must run as a thread of a service');
  const send = (message: FromProjector): void => main.postMessage(message);
  const { serviceName, config, connection, storeId } = workerData as ProjectorSetting;
  const log = createLog(config.LOG_LEVEL);
  const tracing = await startTracing(serviceName, config.OTEL_EXPORTER_OTLP_ENDPOINT);
  const stores = await chooseStores(config, connection);
  const { store, checkpoints, isOutage, close } = stores;
  stores.expectIdentity(storeId);
  const progress = new SharedProgress(send);
  // With Kafka, reads wait in other processes.
  const linger = { lingerMs, lingerAloneMs: config.COMMAND_BUS === 'kafka' ? lingerMs : lingerAloneMs };
  const runtime = { store, checkpoints, progress, log, isTransient: isOutage, ...linger };
  const vaultKeys = openVaultKeys(config, log);
  if (vaultKeys === undefined) throw new Error('A projector needs a vault key');
  const running = projectionsOf(vaultKeys).map((projection) =>
    runProjection(tracing.projection(projection), runtime, config.PROJECTION_SHARDS),
  );
  const evidence = startLogEvidence(config, stores, connection, log);

  const stop = async (): Promise<void> => {
    await Promise.all([...running.map((projection) => projection.stop()), evidence.stop()]);
    await close();
    await tracing.close();
  };
  // An explicit exit: open handles would keep the event loop of the thread running.
  const end = (): void => log.flush(() => process.exit());
  const stopAndEnd = (): Promise<void> =>
    stop().then(end, (error: unknown) => {
      log.warn({ err: error }, 'The projector could not stop gracefully; it resumes from its checkpoints');
      end();
    });
  main.on('message', (message: ToProjector) => {
    if (message.type === 'hurry') void progress.waitForProgress(message.subscription, hurryForMs);
    else if (message.type === 'report') {
      send({
        type: message.type,
        statuses: running.map((subscription) => ({ name: subscription.name, status: subscription.status() })),
      });
    } else void stopAndEnd();
  });
}
