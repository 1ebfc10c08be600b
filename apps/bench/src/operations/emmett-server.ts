import { isExpectedVersionConflictError } from '@event-driven-io/emmett';
import { getPostgreSQLEventStore } from '@event-driven-io/emmett-postgresql';
import { randomId } from '@florin/kernel';
import fastify from 'fastify';
import type { AddressInfo } from 'node:net';
import { Pool } from 'pg';

/** One per connection of the load: with fewer, the appends wait for each other. */
const connections = 64;

interface Body {
  readonly amount: string;
  readonly expectedTotal: string;
  readonly holderId: string;
  readonly productId: string;
}

interface BenchEvent {
  readonly type: string;
  readonly data: Record<string, unknown>;
  readonly metadata: Record<string, unknown>;
}

/**
 * A minimal service on emmett that accepts an operation durably: one event on the account, then one on the operation.
 * It validates nothing and has no state, so it does less than the product.
 */
async function main(): Promise<void> {
  const pool = new Pool({ connectionString: process.env['BENCH_DATABASE_URL'], max: connections });
  pool.on('error', () => undefined);
  const store = getPostgreSQLEventStore('postgresql://localhost/florin', {
    connectionOptions: { pool },
    schema: { autoMigration: 'None' },
  });
  await store.schema.migrate();

  /** Retries after a version conflict, as any service would. */
  async function append(stream: string, event: BenchEvent): Promise<void> {
    for (;;) {
      try {
        await store.appendToStream(stream, [event]);
        return;
      } catch (error) {
        if (!isExpectedVersionConflictError(error)) throw error;
      }
    }
  }

  const app = fastify();
  app.post<{ Body: Body }>('/api/v1/operations', async (request, reply) => {
    const operationId = randomId();
    // The key identifies the account, as in the product.
    const account = `account-${request.headers.authorization?.slice(-16)}`;
    const { amount, expectedTotal: total, holderId, productId } = request.body;
    const order = {
      operationId,
      type: 'issue',
      productId,
      amount,
      total,
      holderId,
      createdAt: new Date().toISOString(),
    };
    const metadata = { correlationId: request.id, causationId: request.id };
    const reserved = { reservationId: operationId, reference: operationId, amount: total, order };
    await append(account, { type: 'FundsReserved', data: reserved, metadata });
    await append(`operation-${operationId}`, { type: 'OperationQueued', data: { order }, metadata });
    return reply.code(201).send({ id: operationId, type: 'issue', status: 'queued', amount, total, result: {} });
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  console.log(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}`);
  process.on('SIGTERM', () => void app.close().then(() => process.exit(0)));
}

void main();
