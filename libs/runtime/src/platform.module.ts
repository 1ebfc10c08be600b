import { POOL, PRISMA } from '@florin/database';
import { CLOCK, COMMAND_BUS, EVENT_STORE, READ_YOUR_WRITES, SNAPSHOT_STORE } from '@florin/event-sourcing';
import { ApiKeyUsage } from '@florin/read-models';
import { type DynamicModule, Global, Module, type Provider } from '@nestjs/common';
import { Health } from './health';
import { HealthController } from './health.controller';
import { Metrics } from './metrics';
import { MetricsController } from './metrics.controller';
import type { Platform } from './platform';

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
      ...(platform.prisma ? [{ provide: PRISMA, useValue: platform.prisma }] : []),
      { provide: EVENT_STORE, useValue: platform.store },
      { provide: SNAPSHOT_STORE, useValue: platform.snapshots },
      { provide: COMMAND_BUS, useValue: platform.bus },
      { provide: CLOCK, useValue: platform.clock },
      { provide: READ_YOUR_WRITES, useValue: platform.readYourWrites },
      { provide: POOL, useValue: platform.pool },
      { provide: ApiKeyUsage, useValue: platform.keyUsage },
      { provide: Health, useValue: health },
      { provide: Metrics, useValue: metrics },
    ];
    return {
      module: PlatformModule,
      controllers: [HealthController, MetricsController],
      providers,
      exports: providers,
    };
  }
}
