import { isTransientDatabaseError } from '@florin/database';
import type { Process } from '@florin/event-sourcing';
import {
  AccountApiModule,
  createFastifyAdapter,
  FundingApiModule,
  HttpApiModule,
  installHttp,
  OperationsApiModule,
  WebhooksApiModule,
} from '@florin/http-api';
import { sha256 } from '@florin/kernel';
import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { AddressInfo } from 'node:net';
import { closeApp } from './close-app';
import { CommandFailureFilter } from './command-failure.filter';
import type { Config } from './config';
import { Access } from './demo/access';
import { Health } from './health';
import { fundingPorts } from './funding-ports';
import { type Log, nestLogger } from './log';
import { Metrics } from './metrics';
import { openPlatform, type Platform } from './platform';
import { PlatformModule } from './platform.module';
import { operationsPorts } from './operations-ports';
import { startProcesses } from './processes';
import { ProjectorThread } from './projector/projector-thread';
import { startTracing, type Tracing } from './tracing/tracing';
import { watchFunding } from './watch-funding';
import { webhookPorts } from './webhook-ports';

/** A service is a list of modules and processes, and a thread for its projections. */
export interface ServiceDefinition {
  readonly name: string;
  readonly modules: (config: Config, log: Log) => readonly (Type | DynamicModule)[];
  readonly processes: readonly Process[];
  /** The file that calls `runProjectorThread` with the projections. */
  readonly projector: string;
}

export interface RunningService {
  readonly baseUrl: string;
  stop(): Promise<void>;
}

export async function startService(
  definition: ServiceDefinition,
  config: Config,
  log: Log,
  onLost: (error: Error) => void,
): Promise<RunningService> {
  const cleanUp: (() => Promise<unknown>)[] = [];
  const stop = async (): Promise<void> => {
    for (const step of cleanUp.splice(0).reverse()) await step();
  };
  try {
    const tracing = await startTracing(definition.name, config.OTEL_EXPORTER_OTLP_ENDPOINT);
    cleanUp.push(() => tracing.close());
    const platform = await openPlatform({ config, log, tracing, onLost });
    cleanUp.push(() => platform.close());
    const health = createHealth(platform);
    const metrics = new Metrics(definition.name);
    const access = Access.open(config);

    const { connection, progress } = platform;
    const setting = { serviceName: definition.name, config, connection };
    const projector = new ProjectorThread({ ...setting, file: definition.projector, progress, health, onLost });
    cleanUp.push(() => projector.stop());
    const app = await createApp(definition, config, { platform, health, metrics, tracing, log, access });
    // Half of the time, so that the rest can end in order, too.
    cleanUp.push(() => closeApp(app, config.SHUTDOWN_TIMEOUT_SECONDS * 500));
    watchFunding(app, config, health, metrics);
    const processes = startProcesses(definition.processes, { platform, health, log });
    cleanUp.push(() => Promise.all(processes.map((process) => process.stop())));
    const baseUrl = await listen(app, config);
    await access.provide(baseUrl, platform);
    health.register('start', async () => true);
    log.info(
      { baseUrl, credentials: access.path },
      `Florin is ready at ${baseUrl}; the API reference is at ${baseUrl}/reference`,
    );
    return { baseUrl, stop: () => drain(health, stop) };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Ready means: the database answers, every projection runs, and the start has been completed. */
function createHealth(platform: Platform): Health {
  const health = new Health();
  health.register('start', async () => 'still starting');
  health.register('database', async () => {
    await platform.pool.query('SELECT 1');
    return true;
  });
  return health;
}

interface Parts {
  readonly platform: Platform;
  readonly health: Health;
  readonly metrics: Metrics;
  readonly tracing: Tracing;
  readonly log: Log;
  readonly access: Access;
}

async function createApp(
  definition: ServiceDefinition,
  config: Config,
  { platform, health, metrics, tracing, log, access }: Parts,
): Promise<NestFastifyApplication> {
  const http = HttpApiModule.forRoot({
    operatorToken: access.operatorToken,
    cursorSecret: sha256(`cursors signed for ${access.operatorToken}`),
    rateLimits: {
      live: config.RATE_LIMIT_LIVE,
      sandbox: config.RATE_LIMIT_SANDBOX,
    },
    liveIssuer: config.ISSUER_URL !== undefined,
    issuerSecret: config.ISSUER_SECRET,
    liveChain: config.TRON_NODE_URL !== undefined,
    webhookAllowLoopback: config.WEBHOOK_ALLOW_LOOPBACK,
    baseUrl: config.FLORIN_BASE_URL ?? `http://${config.HOST}:${config.PORT}`,
    log,
    isTransient: isTransientDatabaseError,
  });
  const ports = [operationsPorts, fundingPorts, webhookPorts].flatMap((portsOf) => portsOf(config, platform));
  const foundation = PlatformModule.of(platform, { health, metrics }, ports);
  const api = [http, AccountApiModule, OperationsApiModule, FundingApiModule, WebhooksApiModule];
  const root = rootModule([foundation, ...api, ...definition.modules(config, log)]);
  const options = { logger: nestLogger(log), abortOnError: false };
  const app = await NestFactory.create<NestFastifyApplication>(root, createFastifyAdapter(), options);
  tracing.http(app.getHttpAdapter().getInstance());
  installHttp(app);
  const services = app.connectMicroservice({ strategy: platform.transport }, { deferInitialization: true });
  services.useGlobalFilters(new CommandFailureFilter(log));
  await app.startAllMicroservices();
  return app;
}

function rootModule(imports: readonly (Type | DynamicModule)[]): Type {
  @Module({ imports: [...imports] })
  class ServiceModule {}
  return ServiceModule;
}

async function listen(app: NestFastifyApplication, config: Config): Promise<string> {
  await app.listen(config.PORT, config.HOST);
  const { port } = app.getHttpServer().address() as AddressInfo;
  const host = config.HOST === '0.0.0.0' || config.HOST === '::' ? '127.0.0.1' : config.HOST;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

async function drain(health: Health, stop: () => Promise<void>): Promise<void> {
  health.drain();
  await stop();
}
