import { applyMigrations } from '@florin/database';
import type { BackingService } from './backing-service';
import type { ClusterOptions } from './cluster-options';
import type { ProcessRecord } from './process-record';
import type { ServiceListener } from './service-process';
import { eventStoreDbBackingService } from './eventstoredb.backing-service';
import { kafkaBackingService } from './kafka.backing-service';
import { postgresBackingService } from './postgres.backing-service';

/** A server that the cluster has started for its services. */
export type RunningBackingService = Pick<BackingService, 'name' | 'pid' | 'state' | 'start' | 'stop' | 'kill'>;

/** The servers that the services use: the broker, the database and, if requested, a separate event store. */
export class BackingServices {
  private constructor(
    /** In the order in which they stop. */
    readonly all: readonly RunningBackingService[],
    readonly kafkaBrokers: string,
    /** The variables by which a service connects to a broker that the cluster has started. */
    readonly kafkaConnectionOf: (service: string) => Record<string, string>,
    readonly eventStoreUrl: string | undefined,
    readonly databaseUrl: () => string,
    private readonly options: ClusterOptions,
  ) {}

  static async prepare(
    options: ClusterOptions,
    listener: ServiceListener,
    record: ProcessRecord,
  ): Promise<BackingServices> {
    const { dataDirectory: folder, env = {} } = options;
    const needsEventStoreDb = options.eventStore === 'eventstoredb' && options.eventStoreUrl === undefined;
    const store = needsEventStoreDb ? await eventStoreDbBackingService(env, folder, listener, record) : undefined;
    const topicPrefix = env['KAFKA_TOPIC_PREFIX'];
    const kafka =
      options.kafkaBrokers === undefined ? await kafkaBackingService(folder, listener, record, topicPrefix) : undefined;
    const postgres = options.databaseUrl === undefined ? postgresBackingService(folder, listener, record) : undefined;
    return new BackingServices(
      [store, kafka, postgres].flatMap((started) => (started ? [started.service] : [])),
      options.kafkaBrokers ?? kafka!.brokers,
      kafka?.connectionOf ?? (() => ({})),
      options.eventStoreUrl ?? store?.url,
      () => options.databaseUrl ?? postgres!.url(),
      options,
    );
  }

  async start(): Promise<void> {
    const { databaseUrl } = this.options;
    const migrated = databaseUrl === undefined ? undefined : applyMigrations({ connectionString: databaseUrl });
    await Promise.all([migrated, ...this.all.map((service) => service.start())]);
  }
}
