import { PostgresCheckpointStore } from '@florin/checkpoint-store-postgres';
import { InProcessCommandBus } from '@florin/command-bus-in-process';
import type { DatabaseConnection } from '@florin/database';
import type { CheckpointStore, CommandBus, EventStore } from '@florin/event-sourcing';
import { PostgresEventStore } from '@florin/event-store-postgres';
import type { CustomTransportStrategy } from '@nestjs/microservices';
import type { PoolClient } from 'pg';
import type { Config } from './config';
import type { Log } from './log';

export interface Adapters {
  readonly store: EventStore;
  readonly checkpoints: CheckpointStore<PoolClient>;
  readonly bus: CommandBus;
  /** Where the controllers of this process listen. */
  readonly transport: CustomTransportStrategy;
  /** After the last command and the last subscription. */
  close(): Promise<void>;
}

/** The only place that knows which adapter stands behind which port. */
export function chooseAdapters(config: Config, connection: DatabaseConnection, log: Log): Adapters {
  const store = eventStore(config, connection);
  const checkpoints = new PostgresCheckpointStore(connection);
  const { bus, transport } = commandBus(config, log);
  const close = async (): Promise<void> => {
    await checkpoints.close();
    await store.close();
  };
  return { store, checkpoints, bus, transport, close };
}

function eventStore({ EVENT_STORE }: Config, connection: DatabaseConnection) {
  switch (EVENT_STORE) {
    case 'postgres':
      return new PostgresEventStore(connection);
  }
}

function commandBus({ COMMAND_BUS }: Config, log: Log) {
  switch (COMMAND_BUS) {
    case 'in-process': {
      const bus = new InProcessCommandBus({
        onFailedSend: (error, { id, command }) => log.error({ err: error, id, type: command.type }, 'A command failed'),
      });
      return { bus, transport: bus.transport };
    }
  }
}
