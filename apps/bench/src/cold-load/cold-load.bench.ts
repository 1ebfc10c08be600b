import { CommandHandler, type SnapshotStore } from '@florin/event-sourcing';
import { PostgresEventStore } from '@florin/event-store-postgres';
import { randomId, serviceActor, systemClock } from '@florin/kernel';
import { accountAggregate, type AccountCommand } from '@florin/ledger-domain';
import { PostgresSnapshotStore } from '@florin/snapshot-store-postgres';
import type { Bench, BenchRow } from '../bench';
import { medians } from '../measure';

const operations = 100_000;
const concurrency = 128;
const accountId = `${randomId()}-sandbox`;

/** The first read of a long account after a restart, with and without a snapshot. */
export const coldLoadBench: Bench = {
  name: 'cold-load',
  alias: 'first-look',
  title: `The first read of an account with ${operations.toLocaleString('en-US')} operations, ms`,
  run: async ({ createDatabase, progress, rounds }) => {
    const connection = await createDatabase();
    const store = new PostgresEventStore(connection);
    const snapshots = new PostgresSnapshotStore(connection, { log: console });
    try {
      progress(`writing ${operations} reservations and captures …`);
      await writeHistory(store, snapshots);
      const { replayed, restored } = await medians(
        { replayed: () => coldLoad(store, undefined), restored: () => coldLoad(store, snapshots) },
        rounds,
      );
      const row: BenchRow = {
        what: 'cold load',
        figures: {
          'from the first event ms': replayed,
          'from the snapshot ms': restored,
          'times as fast': replayed / restored,
        },
      };
      return [row];
    } finally {
      await snapshots.close();
      await store.close();
    }
  },
};

function accounts(store: PostgresEventStore, snapshots: SnapshotStore | undefined) {
  return new CommandHandler(accountAggregate, { store, snapshots, clock: systemClock });
}

async function coldLoad(store: PostgresEventStore, snapshots: SnapshotStore | undefined): Promise<number> {
  const begin = process.hrtime.bigint();
  await accounts(store, snapshots).read(accountId, 0, ({ available }) => available);
  return Number(process.hrtime.bigint() - begin) / 1e6;
}

/** One deposit, then reservations. Each worker captures its reservation before it makes the next one. */
async function writeHistory(store: PostgresEventStore, snapshots: SnapshotStore): Promise<void> {
  const handler = accounts(store, snapshots);
  const send = async (command: AccountCommand): Promise<void> => {
    const id = randomId();
    const headers = { correlationId: id, causationId: id, actor: serviceActor('bench') };
    const reply = await handler.handle(accountId, command, { id, headers });
    if (!reply.ok) throw new Error(`A command was rejected: ${reply.refusal.message}`);
  };
  const common = { accountId, reference: 'bench', description: 'Card issue', fingerprint: 'f' };
  await send({ type: 'DepositFunds', data: { ...common, depositId: randomId(), amount: '99999999.00', fee: '0.00' } });
  let left = operations;
  const worker = async (): Promise<void> => {
    while (left-- > 0) {
      const reservationId = randomId();
      const requestedAt = systemClock.now().toISOString();
      const order = { operationId: reservationId, type: 'issue', productId: 'virtual-usd', total: '103.20' };
      const reservation = { ...common, reservationId, amount: '103.20', order, requestedAt };
      await send({ type: 'CreateReservation', data: reservation });
      await send({ type: 'CaptureReservation', data: { accountId, reservationId } });
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}
