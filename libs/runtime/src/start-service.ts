import { apiVersion, florinVersion } from '@florin/http-api';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { AddressInfo } from 'node:net';
import { listening, usingDataFolder } from './cannot-start';
import { closeApp, sendElsewhere } from './close-app';
import type { Config } from './config';
import { createApp } from './create-app';
import { Access } from './demo/access';
import { Health } from './health';
import type { Log } from './log';
import { Metrics } from './metrics';
import { openPlatform, type Platform } from './platform';
import { requireFreePort } from './require-free-port';
import { startProcesses } from './processes';
import { ProjectorThread } from './projector/projector-thread';
import type { ServiceDefinition } from './service-definition';
import { startTracing } from './tracing/tracing';

export interface RunningService {
  readonly baseUrl: string;
  stop(): Promise<void>;
}

/** What has been started, to be ended in the opposite order. */
class Started {
  private readonly endings: (() => Promise<unknown>)[] = [];

  endsWith(ending: () => Promise<unknown>): void {
    this.endings.push(ending);
  }

  async end(): Promise<void> {
    for (const ending of this.endings.splice(0).reverse()) await ending();
  }
}

export async function startService(
  definition: ServiceDefinition,
  config: Config,
  log: Log,
  onLost: (error: Error) => void,
): Promise<RunningService> {
  const started = new Started();
  try {
    return await startParts(definition, config, { log, onLost, started });
  } catch (error) {
    await started.end();
    throw error;
  }
}

interface Start {
  readonly log: Log;
  readonly onLost: (error: Error) => void;
  readonly started: Started;
}

async function startParts(
  definition: ServiceDefinition,
  config: Config,
  { log, onLost, started }: Start,
): Promise<RunningService> {
  const { name, parts, api = false } = definition;
  await listening(config, () => requireFreePort(config));
  const tracing = await startTracing(name, config.OTEL_EXPORTER_OTLP_ENDPOINT);
  started.endsWith(() => tracing.close());
  const platform = await openPlatform({ service: name, api, config, log, tracing, onLost });
  started.endsWith(() => platform.close());
  const health = createHealth(platform);
  const metrics = new Metrics(name);
  const access = api ? await usingDataFolder(config, async () => Access.open(config)) : undefined;

  if (definition.projector !== undefined) {
    const { connection, progress } = platform;
    const setting = { serviceName: name, file: definition.projector, config, connection };
    const projector = new ProjectorThread({ ...setting, progress, health, onLost });
    started.endsWith(() => projector.stop());
  }
  const operatorToken = access?.operatorToken;
  const app = await createApp(definition, config, { platform, health, metrics, tracing, log, operatorToken });
  // Half of the time, so that the rest can end in order, too.
  started.endsWith(() => closeApp(app, config.SHUTDOWN_TIMEOUT_SECONDS * 500));
  for (const part of parts) part.watch?.(app, { config, platform, health, metrics });
  const processes = parts.flatMap((part) => part.processes ?? []);
  const running = startProcesses(processes, config.PROCESS_SHARDS, { platform, health, log });
  started.endsWith(() => Promise.all(running.map((process) => process.stop())));
  const baseUrl = await listen(app, config);
  await access?.provide(config.FLORIN_BASE_URL ?? baseUrl, platform, log);
  health.register('start', async () => true);
  sayReady(name, baseUrl, access, log);
  const stop = async (): Promise<void> => {
    health.drain();
    if (api) await sendElsewhere(app, config.SHUTDOWN_NOTICE_SECONDS * 1_000);
    await started.end();
  };
  return { baseUrl, stop };
}

/** Ready means: the database and the bus answer, every subscription runs, and the start has been completed. */
function createHealth({ pool, check }: Platform): Health {
  const health = new Health();
  health.register('start', async () => 'still starting');
  health.register('database', async () => {
    await pool.query('SELECT 1');
    return true;
  });
  health.register('command bus', check);
  return health;
}

async function listen(app: NestFastifyApplication, config: Config): Promise<string> {
  await app.init();
  // Nest's own way to listen would write a line about a taken port before anybody can say what to do about it.
  await listening(config, () => app.getHttpAdapter().getInstance().listen({ port: config.PORT, host: config.HOST }));
  const { port } = app.getHttpServer().address() as AddressInfo;
  const host = config.HOST === '0.0.0.0' || config.HOST === '::' ? '127.0.0.1' : config.HOST;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function sayReady(name: string, baseUrl: string, access: Access | undefined, log: Log): void {
  if (access === undefined) return log.info({ baseUrl }, `${name} is ready; its health is at ${baseUrl}/health/ready`);
  const details = { baseUrl, credentials: access.path, version: florinVersion, apiVersion };
  log.info(details, `Florin is ready at ${baseUrl}; the API reference is at ${baseUrl}/reference`);
}
