import { applyMigrations } from '@florin/database';
import { join } from 'node:path';
import type { ClusterOptions } from '../cluster-options';
import type { ProcessRecord } from '../process-record';
import type { ServiceListener, ServiceState } from '../service-process';
import { eventStoreStandIn } from './eventstoredb.engine';
import { kafkaEngine } from './kafka.engine';
import { postgresEngine } from './postgres.engine';

/** One of the servers that the cluster has started for its services. */
export interface RunningEngine {
  readonly name: string;
  readonly pid: number | undefined;
  readonly state: ServiceState;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Ends it at once; it comes back by itself. */
  kill(): Promise<void>;
}

const standInFile = join(__dirname, '../../../adapters/eventstoredb-test-server/dist/main.js');

/** Whatever the services stand on: the broker, the database and, where asked for, an event store of its own. */
export class Engines {
  private constructor(
    /** In the order in which they end. */
    readonly all: readonly RunningEngine[],
    readonly kafkaBrokers: string,
    readonly eventStoreUrl: string | undefined,
    readonly databaseUrl: () => string,
    private readonly options: ClusterOptions,
  ) {}

  static async prepare(options: ClusterOptions, listener: ServiceListener, record: ProcessRecord): Promise<Engines> {
    const { dataDirectory: folder } = options;
    const needsStandIn = options.eventStore === 'eventstoredb' && options.eventStoreUrl === undefined;
    const store = needsStandIn ? await eventStoreStandIn(standInFile, folder, listener, record) : undefined;
    const kafka = options.kafkaBrokers === undefined ? await kafkaEngine(folder, listener, record) : undefined;
    const postgres = options.databaseUrl === undefined ? postgresEngine(folder, listener, record) : undefined;
    return new Engines(
      [store, kafka, postgres].flatMap((started) => (started ? [started.engine] : [])),
      options.kafkaBrokers ?? kafka!.brokers,
      options.eventStoreUrl ?? store?.url,
      () => options.databaseUrl ?? postgres!.url(),
      options,
    );
  }

  async start(): Promise<void> {
    const { databaseUrl } = this.options;
    const migrated = databaseUrl === undefined ? undefined : applyMigrations({ connectionString: databaseUrl });
    await Promise.all([migrated, ...this.all.map((engine) => engine.start())]);
  }
}
