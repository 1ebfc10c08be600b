import type { CommandBus, EventStore, Projection } from '@florin/event-sourcing';
import type { FastifyInstance } from 'fastify';

/**
 * Follows one request from HTTP through the bus and the store into the projections. Each part is a decorator around a
 * port, so that nothing inside knows of tracing; without an exporter the ports stay bare and nothing is loaded.
 */
export interface Tracing {
  http(server: FastifyInstance): void;
  bus(bus: CommandBus): CommandBus;
  store(store: EventStore): EventStore;
  projection<Tx>(projection: Projection<Tx>): Projection<Tx>;
  /** Sends what is still waiting. */
  close(): Promise<void>;
}
