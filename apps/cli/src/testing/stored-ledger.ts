import { PostgresCheckpointStore } from '@florin/checkpoint-store-postgres';
import { createPool, type DatabaseConnection } from '@florin/database';
import { createTestDatabase } from '@florin/database/testing';
import { catchUp, type CommandReply, Progress } from '@florin/event-sourcing';
import { commandLog, silentLog } from '@florin/event-sourcing/testing';
import { PostgresEventStore } from '@florin/event-store-postgres';
import { accountAggregate, type AccountCommand } from '@florin/ledger-domain';
import { operationAggregate, type OperationCommand, type Order } from '@florin/operations-domain';
import { comparedProjections } from '@florin/read-models/tools';
import type { Pool } from 'pg';

export const companyId = 'c0ffee00-0000-4000-8000-000000000001';
export const accountId = `${companyId}-sandbox`;
export const idOf = (number: number): string => `00e00000-0000-4000-8000-${String(number).padStart(12, '0')}`;

const requestedAt = '2030-01-01T00:00:00.000Z';

/** A database with accounts and operations written by the production deciders, and their read models. */
export interface StoredLedger {
  readonly environment: { readonly DATABASE_URL: string };
  readonly connection: DatabaseConnection;
  readonly pool: Pool;
  readonly store: PostgresEventStore;
  account(command: AccountCommand): Promise<unknown>;
  operation(command: OperationCommand): Promise<unknown>;
  reserve(number: number): Promise<Order>;
  queue(order: Order): Promise<unknown>;
  project(): Promise<void>;
  close(): Promise<void>;
}

/** `options` are those of the store and of its clock. */
export async function storedLedger(
  options: { readonly startsAt?: string; readonly archiveDirectory?: string } = {},
): Promise<StoredLedger> {
  const database = await createTestDatabase();
  const { host, user, database: name } = database.connection;
  const pool = createPool(database.connection);
  const store = new PostgresEventStore(database.connection, options);
  const { clock, runner } = commandLog(store, options.startsAt);
  const accepted =
    <C>(run: (command: C) => Promise<CommandReply<unknown>>) =>
    async (command: C): Promise<void> => {
      clock.advance(1_000);
      const reply = await run(command);
      if (!reply.ok) throw new Error(reply.refusal.message);
    };
  const account = accepted(runner(accountAggregate, ({ data }) => data.accountId));
  const operation = accepted(runner(operationAggregate, ({ data }) => data.operationId));
  const ledger: StoredLedger = {
    environment: { DATABASE_URL: `postgres://${user}@localhost/${name}?host=${encodeURIComponent(String(host))}` },
    ...{ connection: database.connection, pool, store, account, operation },
    reserve: async (number) => {
      const order = orderOf(idOf(number));
      const reservation = { reservationId: order.operationId, reference: order.operationId, description: 'Service' };
      const request = { amount: order.total, fingerprint: 'f', order: { ...order }, requestedAt };
      await account({ type: 'CreateReservation', data: { accountId, ...reservation, ...request } });
      return order;
    },
    queue: (order) => operation({ type: 'QueueOperation', data: { operationId: order.operationId, order } }),
    project: async () => {
      const checkpoints = new PostgresCheckpointStore(database.connection);
      const runtime = { store, checkpoints, progress: new Progress(), log: silentLog, isTransient: () => false };
      const head = await store.head();
      await Promise.all(comparedProjections.map((projection) => catchUp(projection, runtime, head)));
      await checkpoints.close();
    },
    close: async () => {
      await Promise.all([pool.end(), store.close()]);
      await database.drop();
    },
  };
  await writeSample(ledger);
  await ledger.project();
  return ledger;
}

function orderOf(operationId: string): Order {
  return {
    ...{ operationId, companyId, environment: 'sandbox', accountId, type: 'service', productId: 'report' },
    ...{ amount: '100.00', fee: '0.00', total: '100.00', recipient: 'Ida', fingerprint: 'f', createdAt: requestedAt },
  };
}

/** One completed operation, one failed operation and one that waits for its issuer call. */
async function writeSample(ledger: StoredLedger): Promise<void> {
  const deposit = {
    depositId: 'd',
    reference: 'd',
    amount: '1000.00',
    fee: '15.00',
    description: '',
    fingerprint: 'f',
  };
  await ledger.account({ type: 'DepositFunds', data: { accountId, ...deposit } });
  for (const number of [1, 2, 3]) await ledger.queue(await ledger.reserve(number));
  const call = { callId: 'call', deadline: '2030-01-01T11:00:00.000Z' };
  const responded = { callId: 'call', respondedAt: '2030-01-01T10:30:00.000Z' };
  for (const operationId of [idOf(1), idOf(2)]) {
    await ledger.operation({ type: 'StartIssuerCall', data: { operationId, ...call } });
  }
  const accepted = { operationId: idOf(1), ...responded, response: { outcome: 'accepted' } as const };
  const declined = { outcome: 'declined', code: 'declined', message: 'No' } as const;
  await ledger.operation({ type: 'RecordIssuerResponse', data: accepted });
  await ledger.operation({
    type: 'RecordIssuerResponse',
    data: { operationId: idOf(2), ...responded, response: declined },
  });
  await ledger.account({ type: 'CaptureReservation', data: { accountId, reservationId: idOf(1) } });
  await ledger.operation({ type: 'CompleteOperation', data: { operationId: idOf(1) } });
  await ledger.account({ type: 'ReleaseReservation', data: { accountId, reservationId: idOf(2) } });
  await ledger.operation({ type: 'FailOperation', data: { operationId: idOf(2) } });
}
