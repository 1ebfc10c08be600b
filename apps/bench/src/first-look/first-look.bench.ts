import { CommandHandler, type SnapshotStore } from '@florin/event-sourcing';
import { PostgresEventStore } from '@florin/event-store-postgres';
import { randomId, systemClock } from '@florin/kernel';
import { accountAggregate, type AccountCommand } from '@florin/ledger-domain';
import { PostgresSnapshotStore } from '@florin/snapshot-store-postgres';
import type { Bench, BenchRow } from '../bench';
import { medians } from '../measure';

const operations = 100_000;
const together = 128;
const accountId = `${randomId()}-sandbox`;

/** What a restart costs the first client of an account that has a past. */
export const firstLookBench: Bench = {
  name: 'first-look',
  title: `The first look at an account with ${operations.toLocaleString('en-US')} operations behind it, ms`,
  run: async ({ createDatabase, progress, rounds }) => {
    const connection = await createDatabase();
    const store = new PostgresEventStore(connection);
    const snapshots = new PostgresSnapshotStore(connection, { log: console });
    try {
      progress(`writing ${operations} holds and captures …`);
      await live(store, snapshots);
      const { whole, short } = await medians(
        { whole: () => firstLook(store, undefined), short: () => firstLook(store, snapshots) },
        rounds,
      );
      const row: BenchRow = {
        what: 'first look',
        figures: { 'from the first event ms': whole, 'from the snapshot ms': short, 'times as fast': whole / short },
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

async function firstLook(store: PostgresEventStore, snapshots: SnapshotStore | undefined): Promise<number> {
  const begin = process.hrtime.bigint();
  await accounts(store, snapshots).read(accountId, 0, ({ available }) => available);
  return Number(process.hrtime.bigint() - begin) / 1e6;
}

/** One deposit, and then holds, each captured before its owner makes the next one. */
async function live(store: PostgresEventStore, snapshots: SnapshotStore): Promise<void> {
  const handler = accounts(store, snapshots);
  const send = async (command: AccountCommand): Promise<void> => {
    const id = randomId();
    const reply = await handler.handle(accountId, command, { id, headers: { correlationId: id, causationId: id } });
    if (!reply.ok) throw new Error(`A command was refused: ${reply.refusal.message}`);
  };
  const facts = { accountId, reference: 'bench', description: 'Card issue', fingerprint: 'f' };
  await send({ type: 'DepositFunds', data: { ...facts, depositId: randomId(), amount: '99999999.00', fee: '0.00' } });
  let left = operations;
  const owner = async (): Promise<void> => {
    while (left-- > 0) {
      const reservationId = randomId();
      const requestedAt = systemClock.now().toISOString();
      const order = { operationId: reservationId, type: 'issue', productId: 'virtual-usd', total: '103.20' };
      const hold = { ...facts, reservationId, amount: '103.20', order, requestedAt };
      await send({ type: 'CreateReservation', data: hold });
      await send({ type: 'CaptureReservation', data: { accountId, reservationId } });
    }
  };
  await Promise.all(Array.from({ length: together }, owner));
}
