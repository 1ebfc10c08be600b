import { apiVersion, florinVersion } from '@florin/http-api';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Server } from 'node:http';
import { explainListenErrors, explainDataFolderErrors, type PortName } from './startup-error';
import { closeApp, closeServer, drainConnections } from './close-app';
import type { Config } from './config';
import { createApp } from './create-app';
import { Access } from './demo/access';
import { Health } from './health';
import type { Log } from './log';
import { monitorLogEvidence } from './log-evidence/monitor-log-evidence';
import { Metrics } from './metrics';
import { openPlatform, type Platform } from './platform';
import { additionalPorts, listenOn, urlOf } from './ports';
import { requireFreePort } from './require-free-port';
import { startProcesses } from './processes';
import { ProjectorThread } from './projector/projector-thread';
import type { ServiceDefinition } from './service-definition';
import { startTracing } from './tracing/tracing';

export interface RunningService {
  readonly baseUrl: string;
  stop(): Promise<void>;
}

/** Cleanup functions, run in reverse order. */
class Cleanup {
  private readonly functions: (() => Promise<unknown>)[] = [];

  add(cleanUp: () => Promise<unknown>): void {
    this.functions.push(cleanUp);
  }

  async run(): Promise<void> {
    for (const cleanUp of this.functions.splice(0).reverse()) await cleanUp();
  }
}

export async function startService(
  definition: ServiceDefinition,
  config: Config,
  log: Log,
  onLost: (error: Error) => void,
): Promise<RunningService> {
  const cleanup = new Cleanup();
  try {
    return await startParts(definition, config, { log, onLost, cleanup });
  } catch (error) {
    await cleanup.run();
    throw error;
  }
}

interface Start {
  readonly log: Log;
  readonly onLost: (error: Error) => void;
  readonly cleanup: Cleanup;
}

async function startParts(
  definition: ServiceDefinition,
  config: Config,
  { log, onLost, cleanup }: Start,
): Promise<RunningService> {
  const { name, parts, api = false, vault: vaultTables = [] } = definition;
  const morePorts = additionalPorts(config, api);
  for (const port of ['PORT', ...morePorts] as const) {
    await explainListenErrors(config, () => requireFreePort(config, config[port]), port);
  }
  const tracing = await startTracing(name, config.OTEL_EXPORTER_OTLP_ENDPOINT);
  cleanup.add(() => tracing.close());
  const platform = await openPlatform({ service: name, api, vaultTables, config, log, tracing, onLost });
  cleanup.add(() => platform.close());
  const health = createHealth(platform);
  const metrics = new Metrics(name);
  const access = api ? await explainDataFolderErrors(config, async () => Access.open(config)) : undefined;

  if (definition.projector !== undefined) {
    const { connection, progress } = platform;
    const setting = { serviceName: name, file: definition.projector, config, connection };
    const projector = new ProjectorThread({ ...setting, progress, health, onLost });
    cleanup.add(() => projector.stop());
    monitorLogEvidence(config, platform, { health, metrics });
  }
  const operatorToken = access?.operatorToken;
  const app = await createApp(definition, config, { platform, health, metrics, tracing, log, operatorToken });
  // Half of the time, so that the remaining steps can complete, too.
  const closeTimeoutMs = config.SHUTDOWN_TIMEOUT_SECONDS * 500;
  cleanup.add(() => closeApp(app, closeTimeoutMs));
  for (const part of parts) part.monitor?.(app, { config, platform, health, metrics });
  const processes = parts.flatMap((part) => part.processes ?? []);
  const running = startProcesses(processes, config.PROCESS_SHARDS, { platform, health, log });
  cleanup.add(() => Promise.all(running.map((process) => process.stop())));
  const baseUrl = await listen(app, config);
  const urls: Partial<Record<PortName, string>> = {};
  for (const port of morePorts) {
    const server = await listenOn(app, port, config);
    cleanup.add(() => closeServer(server, closeTimeoutMs));
    urls[port] = urlOf(server, config);
  }
  const operatorUrl = urls.OPERATOR_PORT;
  await access?.provide({ baseUrl: config.FLORIN_BASE_URL ?? baseUrl, operatorUrl }, platform, log);
  health.register('start', async () => true);
  logReady(name, { baseUrl, operatorUrl, metricsUrl: urls.METRICS_PORT }, access, log);
  const stop = async (): Promise<void> => {
    health.drain();
    if (api) await drainConnections(app, config.SHUTDOWN_NOTICE_SECONDS * 1_000);
    await cleanup.run();
  };
  return { baseUrl, stop };
}

/** Ready means that the backing services respond, every subscription runs, and the start is complete. */
function createHealth({ checkDatabase, checkStore, check }: Platform): Health {
  const health = new Health();
  health.register('start', async () => 'still starting');
  health.register('database', checkDatabase);
  health.register('event store', checkStore);
  health.register('command bus', check);
  return health;
}

async function listen(app: NestFastifyApplication, config: Config): Promise<string> {
  await app.init();
  // Not Nest's `listen`, which logs its own line about a port in use.
  await explainListenErrors(config, () =>
    app.getHttpAdapter().getInstance().listen({ port: config.PORT, host: config.HOST }),
  );
  return urlOf(app.getHttpServer() as Server, config);
}

interface Addresses {
  readonly baseUrl: string;
  /** Undefined without a separate port. */
  readonly operatorUrl: string | undefined;
  readonly metricsUrl: string | undefined;
}

function logReady(name: string, addresses: Addresses, access: Access | undefined, log: Log): void {
  const { baseUrl } = addresses;
  if (access === undefined) return log.info(addresses, `${name} is ready; its health is at ${baseUrl}/health/ready`);
  const details = { ...addresses, credentials: access.path, version: florinVersion, apiVersion };
  log.info(details, `Florin is ready at ${baseUrl}; the API reference is at ${baseUrl}/reference`);
}
