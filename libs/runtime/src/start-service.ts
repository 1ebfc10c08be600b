import { apiVersion, florinVersion } from '@florin/http-api';
import type { Progress } from '@florin/event-sourcing';
import type { FastifyInstance } from 'fastify';
import { Cleanup } from './cleanup';
import { explainDataFolderErrors } from './startup-error';
import type { Config } from './config';
import { createApp } from './create-app';
import { Access } from './demo/access';
import { type Condition, Health } from './health';
import type { Log } from './log';
import { monitorLogEvidence } from './log-evidence/monitor-log-evidence';
import { Metrics } from './metrics';
import { openPlatform, type Platform } from './platform';
import { additionalPorts, Ports } from './ports';
import { startProcesses } from './processes';
import { ProjectorThread } from './projector/projector-thread';
import type { ServiceDefinition } from './service-definition';
import { startTracing } from './tracing/tracing';
import { retryable } from './transient';
import { untilAvailable, type Waiting } from './until-available';

export interface RunningService {
  readonly baseUrl: string;
  stop(): Promise<void>;
}

/**
 * Listens at once, and then waits for the backing services for as long as they need. The signal ends that wait.
 */
export async function startService(
  definition: ServiceDefinition,
  config: Config,
  options: StartOptions,
): Promise<RunningService> {
  const cleanup = new Cleanup();
  try {
    return await startParts(definition, config, { ...options, cleanup });
  } catch (error) {
    await cleanup.run();
    throw error;
  }
}

export interface StartOptions {
  readonly log: Log;
  /** Called when a backing service is lost and the process has to end. */
  readonly onLost: (error: Error) => void;
  readonly signal: AbortSignal;
}

interface Start extends StartOptions {
  readonly cleanup: Cleanup;
}

async function startParts(definition: ServiceDefinition, config: Config, start: Start): Promise<RunningService> {
  const { name, parts, api = false, vault: vaultTables = [] } = definition;
  const { log, onLost, cleanup, signal } = start;
  // Half of the time, so that the remaining steps can complete, too.
  const closeTimeoutMs = config.SHUTDOWN_TIMEOUT_SECONDS * 500;
  const health = new Health();
  const onWaiting = (what: string): void => {
    health.register('start', async () => `still starting, waiting for ${what}`);
  };
  onWaiting('its configuration');
  const ports = await Ports.open(config, ['PORT', ...additionalPorts(config, api)], health);
  cleanup.add(() => ports.close(closeTimeoutMs));
  const waiting: Waiting = { log, signal, onWaiting };
  const tracing = await startTracing(name, config.OTEL_EXPORTER_OTLP_ENDPOINT);
  cleanup.add(() => tracing.close());
  const platform = await openPlatform({ service: name, api, vaultTables, config, log, tracing, onLost, waiting });
  cleanup.add(() => platform.close());
  registerDependencies(health, platform, api);
  const metrics = new Metrics(name);
  const access = api ? await explainDataFolderErrors(config, async () => Access.open(config)) : undefined;

  if (definition.projector !== undefined) {
    const { connection, progress, storeId } = platform;
    const setting = { serviceName: name, file: definition.projector, config, connection, storeId };
    const projector = new ProjectorThread({ ...setting, progress, health, onLost });
    cleanup.add(() => projector.stop());
    monitorLogEvidence(config, platform, { health, metrics });
  }
  const operatorToken = access?.operatorToken;
  const baseUrl = ports.urlOf('PORT')!;
  const publicUrl = config.FLORIN_BASE_URL ?? baseUrl;
  const observed = { health, metrics, tracing, log };
  const app = await createApp(definition, config, {
    ...{ ...observed, platform, operatorToken, baseUrl: publicUrl, waiting },
  });
  cleanup.add(() => app.close());
  for (const part of parts) part.monitor?.(app, { config, platform, health, metrics });
  const processes = parts.flatMap((part) => part.processes ?? []);
  const running = startProcesses(processes, config.PROCESS_SHARDS, { platform, health, log });
  cleanup.add(() => Promise.all(running.map((process) => process.stop())));
  await app.init();
  const server: FastifyInstance = app.getHttpAdapter().getInstance();
  await server.ready();
  ports.serve(server);
  const operatorUrl = ports.urlOf('OPERATOR_PORT');
  const provide = async (): Promise<void> => access?.provide({ baseUrl: publicUrl, operatorUrl }, platform, log);
  await untilAvailable('the demo data', provide, retryable(platform.isOutage), waiting);
  health.register('start', async () => true);
  logReady(name, { baseUrl, operatorUrl, metricsUrl: ports.urlOf('METRICS_PORT') }, access, log);
  const stop = async (): Promise<void> => {
    health.drain();
    if (api) await ports.drain(config.SHUTDOWN_NOTICE_SECONDS * 1_000);
    await ports.close(closeTimeoutMs);
    await cleanup.run();
  };
  return { baseUrl, stop };
}

/**
 * Ready means that the backing services respond, every subscription runs, and the start is complete. The API serves reads
 * without the bus, so its state is only shown there.
 */
function registerDependencies(
  health: Health,
  { checkDatabase, checkStore, check, progress }: Platform,
  api: boolean,
): void {
  health.register('database', checkDatabase);
  health.register('event store', checkStore);
  health.register('command bus', check, { isRequired: !api });
  health.register('set-aside streams', async () => setAsideStreams(progress), { isRequired: false });
}

/** Only the objects of these streams are outdated, so the service stays ready. */
function setAsideStreams(progress: Pick<Progress, 'known'>): true | Condition {
  const skipping = progress.known().filter(({ setAside }) => setAside > 0);
  if (skipping.length === 0) return true;
  const subscriptions = [...new Set(skipping.map(({ subscription }) => subscription))].join(', ');
  const streams = skipping.reduce((sum, { setAside }) => sum + setAside, 0);
  const reason = `${subscriptions} cannot read events of a newer release; deploy that release or a newer one`;
  return { ok: false, reason, streams };
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
