import { apiModules, createFastifyAdapter, HttpApiModule, installHttp } from '@florin/http-api';
import { sha256 } from '@florin/kernel';
import { type DynamicModule, Module, NotFoundException, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { CommandFailureFilter } from './command-failure.filter';
import type { Config } from './config';
import type { Health } from './health';
import { type Log, nestLogger } from './log';
import type { Metrics } from './metrics';
import type { Platform } from './platform';
import { PlatformModule } from './platform.module';
import { servedPaths } from './ports';
import type { ServiceDefinition } from './service-definition';
import { measureService } from './service-metrics';
import type { Tracing } from './tracing/tracing.port';
import { unlessCancelled, type Waiting } from './until-available';

export interface AppParts {
  readonly platform: Platform;
  readonly health: Health;
  readonly metrics: Metrics;
  readonly tracing: Tracing;
  readonly log: Log;
  /** Absent in a service that does not serve the API. */
  readonly operatorToken?: string;
  /** The public URL of the API. */
  readonly baseUrl: string;
  readonly waiting: Waiting;
}

/** The Nest application of a service: its parts, health, metrics, and the API if the service has one. */
export async function createApp(
  { parts }: ServiceDefinition,
  config: Config,
  appParts: AppParts,
): Promise<NestFastifyApplication> {
  const { platform, health, metrics, tracing, log, operatorToken, waiting } = appParts;
  const ports = parts.flatMap((part) => part.ports?.(config, platform, log) ?? []);
  const foundation = PlatformModule.of(platform, { health, metrics }, ports);
  const api = operatorToken === undefined ? [] : modulesOfApi(config, operatorToken, appParts);
  const root = rootModule([foundation, ...api, ...parts.flatMap((part) => part.modules(config, log))]);
  const options = { logger: nestLogger(log), abortOnError: false };
  const app = await NestFactory.create<NestFastifyApplication>(
    root,
    createFastifyAdapter(config.TRUSTED_PROXIES),
    options,
  );
  const server = app.getHttpAdapter().getInstance();
  tracing.http(server);
  measureService(metrics, server, platform);
  if (operatorToken !== undefined) installHttp(app);
  else restrictPaths(server, config);
  const services = app.connectMicroservice({ strategy: platform.transport }, { deferInitialization: true });
  services.useGlobalFilters(new CommandFailureFilter(log));
  await unlessCancelled('the command bus', app.startAllMicroservices(), waiting);
  return app;
}

function modulesOfApi(
  config: Config,
  operatorToken: string,
  { baseUrl, log, platform: { isOutage } }: AppParts,
): (Type | DynamicModule)[] {
  const http = HttpApiModule.forRoot({
    operatorToken,
    cursorSecret: sha256(`cursors signed for ${operatorToken}`),
    rateLimits: {
      live: config.RATE_LIMIT_LIVE,
      sandbox: config.RATE_LIMIT_SANDBOX,
      pages: config.RATE_LIMIT_PAGES,
    },
    liveIssuer: config.ISSUER_URL !== undefined,
    issuerSecret: config.ISSUER_SECRET,
    liveChain: config.TRON_NODE_URL !== undefined,
    minimums: { issue: config.MINIMUM_ISSUE_AMOUNT, topup: config.MINIMUM_TOPUP_AMOUNT },
    fourEyesAmount: config.FOUR_EYES_AMOUNT,
    revealFrameOrigins: config.REVEAL_FRAME_ORIGINS,
    webhookAllowLoopback: config.WEBHOOK_ALLOW_LOOPBACK,
    baseUrl,
    log,
    isTransient: isOutage,
    isServed: servedPaths(config),
  });
  return [http, ...apiModules];
}

/** A service without the API has no authorization that could do this. */
function restrictPaths(server: FastifyInstance, config: Config): void {
  const isServed = servedPaths(config);
  if (isServed === undefined) return;
  server.addHook('onRequest', ({ raw, routeOptions: { url = '' } }, _reply, done) => {
    done(isServed(raw, url) ? undefined : new NotFoundException());
  });
}

function rootModule(imports: readonly (Type | DynamicModule)[]): Type {
  @Module({ imports: [...imports] })
  class ServiceModule {}
  return ServiceModule;
}
