import type { Process } from '@florin/event-sourcing';
import type { DynamicModule, INestApplicationContext, Provider, Type } from '@nestjs/common';
import type { Config } from './config';
import type { Health } from './health';
import type { Log } from './log';
import type { Metrics } from './metrics';
import type { Platform } from './platform';

/** A service is a list of parts; the same parts make up the one process and the many. */
export interface ServiceDefinition {
  readonly name: string;
  readonly parts: readonly ServicePart[];
  /** Serves the API. Every service answers for its health and its metrics. */
  readonly api?: boolean;
  /** The file that calls `runProjectorThread` with the projections; absent where none are run. */
  readonly projector?: string;
  /** Variables without which it can do nothing. */
  readonly needs?: readonly (keyof Config)[];
}

/** One context as a service runs it: its modules, what stands behind its ports, and its processes. */
export interface ServicePart {
  modules(config: Config, log: Log): readonly (Type | DynamicModule)[];
  ports?(config: Config, platform: Platform): readonly Provider[];
  readonly processes?: readonly Process[];
  /** Shows its state to whoever monitors the service. */
  watch?(app: INestApplicationContext, setting: Watching): void;
}

export interface Watching {
  readonly config: Config;
  readonly platform: Platform;
  readonly health: Health;
  readonly metrics: Metrics;
}
