import { PostgresLogCheckpoints } from '@florin/checkpoint-store-postgres';
import { POOL } from '@florin/database';
import {
  CLOCK,
  COMMAND_BUS,
  EVENT_STORE,
  LOG_CHECKPOINTS,
  READ_YOUR_WRITES,
  SNAPSHOT_STORE,
} from '@florin/event-sourcing';
import { HOLDER_VAULT, UNCONFIRMED_HOLDER_KEYS } from '@florin/operations-domain';
import { ApiKeyUsage, GatewayReplicas, ReadDatabase } from '@florin/read-models';
import { SECRET_VAULT } from '@florin/webhooks-domain';
import { type DynamicModule, Global, Module, type Provider } from '@nestjs/common';
import type { Pool } from 'pg';
import { Health } from './health';
import { Metrics } from './metrics';
import { MonitoringController } from './monitoring.controller';
import type { Platform } from './platform';
import type { Vault } from './vault/vault';

/** Provides the ports of the opened platform to every module. */
@Global()
@Module({})
export class PlatformModule {
  static of(
    platform: Platform,
    { health, metrics }: { readonly health: Health; readonly metrics: Metrics },
    ports: readonly Provider[],
  ): DynamicModule {
    const providers: Provider[] = [
      ...ports,
      ...(platform.vault ? vaultProviders(platform.vault) : []),
      ...(platform.reads ? apiProviders(platform.pool, platform.reads) : []),
      { provide: EVENT_STORE, useValue: platform.store },
      { provide: SNAPSHOT_STORE, useValue: platform.snapshots },
      { provide: LOG_CHECKPOINTS, useValue: new PostgresLogCheckpoints(platform.pool) },
      { provide: COMMAND_BUS, useValue: platform.bus },
      { provide: CLOCK, useValue: platform.clock },
      { provide: READ_YOUR_WRITES, useValue: platform.readYourWrites },
      { provide: POOL, useValue: platform.pool },
      { provide: ApiKeyUsage, useValue: platform.keyUsage },
      { provide: Health, useValue: health },
      { provide: Metrics, useValue: metrics },
    ];
    return { module: PlatformModule, controllers: [MonitoringController], providers, exports: providers };
  }
}

function apiProviders(pool: Pool, reads: ReadDatabase): Provider[] {
  return [
    { provide: ReadDatabase, useValue: reads },
    { provide: GatewayReplicas, useValue: new GatewayReplicas(pool) },
  ];
}

function vaultProviders({ holderKeys, webhookSecrets }: Vault): Provider[] {
  return [
    { provide: HOLDER_VAULT, useValue: holderKeys },
    { provide: UNCONFIRMED_HOLDER_KEYS, useValue: holderKeys },
    { provide: SECRET_VAULT, useValue: webhookSecrets },
  ];
}
