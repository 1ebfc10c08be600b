import type { Process } from '@florin/event-sourcing';
import type { DynamicModule, INestApplicationContext, Provider, Type } from '@nestjs/common';
import type { Config } from './config';
import type { Health } from './health';
import type { Log } from './log';
import type { Metrics } from './metrics';
import type { Platform } from './platform';
import type { VaultTableName } from './vault/vault';

/** A service is a list of parts. All-in-one has all of them, and each service of a cluster has some. */
export interface ServiceDefinition {
  readonly name: string;
  readonly parts: readonly ServicePart[];
  /** Serves the API. Every service serves health and metrics. */
  readonly api?: boolean;
  /** The file that calls `runProjectorThread`; absent in a service without projections. */
  readonly projector?: string;
  /** The tables of the vault that its parts use; without any it needs no vault key. */
  readonly vault?: readonly VaultTableName[];
  /** Required environment variables. */
  readonly needs?: readonly (keyof Config)[];
}

/** One context in a service: its modules, the adapters of its ports, and its process managers. */
export interface ServicePart {
  modules(config: Config, log: Log): readonly (Type | DynamicModule)[];
  ports?(config: Config, platform: Platform, log: Log): readonly Provider[];
  readonly processes?: readonly Process[];
  /** Registers its health checks and metrics. */
  monitor?(app: INestApplicationContext, context: MonitoringContext): void;
}

export interface MonitoringContext {
  readonly config: Config;
  readonly platform: Platform;
  readonly health: Health;
  readonly metrics: Metrics;
}
