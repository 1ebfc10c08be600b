import { Progress, type Projection } from '@florin/event-sourcing';
import { parentPort, workerData } from 'node:worker_threads';
import type { PoolClient } from 'pg';
import { chooseStores } from '../choose-adapters';
import { createLog } from '../log';
import { startTracing } from '../tracing/tracing';
import { startProjections } from './projections';
import type { FromProjector, ProjectorSetting, ToProjector } from './projector-messages';

/** Tells the main thread how far the projections have got, since reads wait for them there. */
class SharedProgress extends Progress {
  constructor(private readonly tell: (message: FromProjector) => void) {
    super();
  }

  override report(...[subscription, shard, shardCount, position]: Parameters<Progress['report']>): void {
    super.report(subscription, shard, shardCount, position);
    this.tell({ type: 'moved', subscription, shard, shardCount, position });
  }

  override forget(subscription: string, shard: number): void {
    super.forget(subscription, shard);
    this.tell({ type: 'left', subscription, shard });
  }
}

/** How long a reader's impatience lasts when nothing comes of it. */
const hurryForMs = 20;

/** The whole life of a projector thread: runs the projections until the main thread tells it to stop. */
export async function runProjectorThread(projections: readonly Projection<PoolClient>[]): Promise<void> {
  const main = parentPort;
  if (main === null) throw new Error('A projector is started as a thread of a service, not by itself');
  const tell = (message: FromProjector): void => main.postMessage(message);
  const { serviceName, config, connection } = workerData as ProjectorSetting;
  const log = createLog(config.LOG_LEVEL);
  const tracing = await startTracing(serviceName, config.OTEL_EXPORTER_OTLP_ENDPOINT);
  const { close, ...stores } = await chooseStores(config, connection);
  const progress = new SharedProgress(tell);
  const platform = { ...stores, progress, tracing, log };
  const running = startProjections(projections, config.PROJECTION_SHARDS, platform);

  const stop = async (): Promise<void> => {
    await Promise.all(running.map((projection) => projection.stop()));
    await close();
    await tracing.close();
  };
  // The thread ends here and now, whatever else may still keep its event loop going.
  const end = (): void => log.flush(() => process.exit());
  const stopAndEnd = (): Promise<void> =>
    stop().then(end, (error: unknown) => {
      log.warn({ err: error }, 'The projector could not stop in order; it goes on from its checkpoints');
      end();
    });
  main.on('message', ({ type }: ToProjector) => {
    if (type === 'hurry') void progress.waitForProgress(hurryForMs);
    else if (type === 'report') {
      tell({ type, statuses: running.map(({ name, status }) => ({ name, status: status() })) });
    } else void stopAndEnd();
  });
  tell({ type: 'started' });
}
