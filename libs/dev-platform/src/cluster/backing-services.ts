import type { BackingService } from './backing-service';
import { type DatabaseRole, inspectUser, migrateDatabase } from '@florin/database';
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
    /** The variables by which a service connects to the broker. */
    readonly kafkaConnectionOf: (service: string) => Record<string, string>,
    readonly eventStoreUrl: string | undefined,
    readonly databaseUrlFor: (role: DatabaseRole) => string,
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
      kafka?.connectionOf ?? options.kafkaConnectionOf ?? (() => ({})),
      options.eventStoreUrl ?? store?.url,
      databaseUrlsOf(options) ?? ((role) => postgres!.urlFor(role)),
      options,
    );
  }

  async start(): Promise<void> {
    await Promise.all([this.migrateExternal(), ...this.all.map((service) => service.start())]);
  }

  /** Without the address of the owner, the services check the schema, or migrate it themselves. */
  private async migrateExternal(): Promise<void> {
    const { databaseUrl, databaseOwnerUrl } = this.options;
    const connectionString = databaseOwnerUrl ?? databaseUrl;
    if (databaseUrl === undefined || typeof connectionString !== 'string') return;
    const { isOwner } = await inspectUser({ connectionString });
    if (isOwner) await migrateDatabase({ connectionString });
  }
}

function databaseUrlsOf({ databaseUrl }: ClusterOptions): ((role: DatabaseRole) => string) | undefined {
  return typeof databaseUrl === 'string' ? () => databaseUrl : databaseUrl;
}
