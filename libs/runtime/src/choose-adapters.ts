import { PostgresCheckpointStore } from '@florin/checkpoint-store-postgres';
import { InProcessCommandBus } from '@florin/command-bus-in-process';
import { type DatabaseConnection, isTransientDatabaseError } from '@florin/database';
import type { CheckpointStore, CommandBus, EventStore } from '@florin/event-sourcing';
import type { EventStoreDbEventStore } from '@florin/event-store-eventstoredb';
import { PostgresEventStore } from '@florin/event-store-postgres';
import { PostgresSnapshotStore } from '@florin/snapshot-store-postgres';
import type { CustomTransportStrategy } from '@nestjs/microservices';
import type { PoolClient } from 'pg';
import type { Config } from './config';
import type { HealthCheck } from './health';
import type { Log } from './log';
import { type IsOutage, retryable } from './transient';

export interface Stores {
  readonly store: EventStore;
  readonly checkpoints: CheckpointStore<PoolClient>;
  readonly isOutage: IsOutage;
  /** Call after the last command and the last subscription have ended. */
  close(): Promise<void>;
}

export interface Messaging {
  readonly bus: CommandBus;
  /** Delivers commands to the controllers of this process. */
  readonly transport: CustomTransportStrategy;
  /** Call before the first command. */
  start(): Promise<void>;
  readonly check: HealthCheck;
  /** Call after the last command, and after the transport has closed. */
  close(): Promise<void>;
}

export interface MessagingOptions {
  readonly service: string;
  readonly log: Log;
  readonly isOutage: IsOutage;
  /** Called when this process cannot receive commands any more and has to be restarted. */
  readonly onLost: (error: Error) => void;
}

/**
 * Only this file chooses the adapters of the ports. Optional adapters are loaded on demand: each takes about 300 ms to load,
 * also in the projector thread.
 */
export async function chooseStores(config: Config, connection: DatabaseConnection): Promise<Stores> {
  const { store, isOutage } =
    config.EVENT_STORE === 'postgres'
      ? { store: new PostgresEventStore(connection), isOutage: isTransientDatabaseError }
      : await onEventStoreDb(config.EVENTSTORE_URL!);
  const checkpoints = new PostgresCheckpointStore(connection);
  const close = async (): Promise<void> => {
    await checkpoints.close();
    await store.close();
  };
  return { store, checkpoints, isOutage, close };
}

async function onEventStoreDb(url: string): Promise<{ store: EventStoreDbEventStore; isOutage: IsOutage }> {
  const adapter = await import('@florin/event-store-eventstoredb');
  const isOutage: IsOutage = (error) => isTransientDatabaseError(error) || adapter.isTransientEventStoreError(error);
  return { store: new adapter.EventStoreDbEventStore(url), isOutage };
}

/** Always in Postgres, because every service is connected to it, also with another event store. */
export function chooseSnapshots(connection: DatabaseConnection, log: Log): PostgresSnapshotStore {
  return new PostgresSnapshotStore(connection, { log });
}

export async function chooseMessaging(config: Config, options: MessagingOptions): Promise<Messaging> {
  return config.COMMAND_BUS === 'kafka' ? onKafka(config, options) : inProcess(options);
}

function inProcess({ log }: MessagingOptions): Messaging {
  const bus = new InProcessCommandBus({
    onFailedSend: (error, { id, command }) => log.error({ err: error, id, type: command.type }, 'A command failed'),
  });
  const nothing = async (): Promise<void> => undefined;
  return { bus, transport: bus.transport, start: nothing, check: async () => true, close: nothing };
}

async function onKafka(config: Config, options: MessagingOptions): Promise<Messaging> {
  const { KafkaCommandBus } = await import('@florin/command-bus-kafka');
  const { service, log, isOutage, onLost } = options;
  const { KAFKA_SASL_MECHANISM: mechanism, KAFKA_SASL_USERNAME: username, KAFKA_SASL_PASSWORD: password } = config;
  const bus = new KafkaCommandBus({
    service,
    brokers: config.KAFKA_BROKERS!,
    topicPrefix: config.KAFKA_TOPIC_PREFIX,
    partitions: config.KAFKA_PARTITIONS,
    replicationFactor: config.KAFKA_REPLICATION_FACTOR,
    sessionTimeoutMs: config.KAFKA_SESSION_TIMEOUT_SECONDS * 1_000,
    ssl: config.KAFKA_SSL,
    // The configuration has all three or none.
    ...(mechanism && { sasl: { mechanism, username: username!, password: password! } }),
    log,
    // No reply from another context is also an outage.
    isTransient: retryable(isOutage),
    onLost,
  });
  const { transport } = bus;
  return { bus, transport, start: () => bus.start(), check: async () => bus.status(), close: () => bus.close() };
}
