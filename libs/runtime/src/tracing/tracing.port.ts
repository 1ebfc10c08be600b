import type { CommandBus, EventStore, Projection } from '@florin/event-sourcing';
import type { FastifyInstance } from 'fastify';

/**
 * Traces a request from HTTP through the bus and the store into the projections. Each method decorates a port, so the core
 * does not depend on tracing. Without an exporter the ports are not decorated and the SDK is not loaded.
 */
export interface Tracing {
  http(server: FastifyInstance): void;
  bus(bus: CommandBus): CommandBus;
  store(store: EventStore): EventStore;
  projection<Tx>(projection: Projection<Tx>): Projection<Tx>;
  /** Exports the remaining spans. */
  close(): Promise<void>;
}
