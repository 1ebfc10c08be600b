import { createPool } from '@florin/database';
import { createTestDatabase, type TestDatabase } from '@florin/database/testing';
import { openStore } from '@florin/event-sourcing';
import { InMemoryEventStore } from '@florin/event-sourcing/testing';
import { systemClock } from '@florin/kernel';
import type { Pool } from 'pg';
import { acceptOlderLog, claimStore, requireStore } from './store-identity';

const opener = { service: 'ledger', florinVersion: '1.2.3', clock: systemClock };
const unknownEvent = { id: '00000000-0000-4000-8000-000000000001', type: 'T', data: '{}', metadata: '{}' };

jest.setTimeout(60_000);

describe('the event store of a database', () => {
  let database: TestDatabase;
  let owner: Pool;
  let ledger: Pool;

  beforeAll(async () => {
    database = await createTestDatabase();
    owner = createPool(database.connection);
    ledger = createPool(database.connectionAs('ledger'));
  });

  afterAll(async () => {
    await Promise.all([owner.end(), ledger.end()]);
    await database.drop();
  });

  beforeEach(() => owner.query('DELETE FROM event_store.store_identity'));

  const claim = (kind: 'postgres' | 'eventstoredb', store = new InMemoryEventStore()): Promise<string> =>
    claimStore(ledger, kind, store, opener);

  it('is the one of the first start', async () => {
    await claim('postgres');
    await claim('postgres');
    await expect(claim('eventstoredb')).rejects.toThrow(
      'The events of this database are stored in postgres, but EVENT_STORE is eventstoredb. Set EVENT_STORE=postgres, or',
    );
  });

  it('cannot be Postgres after EventStoreDB', async () => {
    await claim('eventstoredb');
    await expect(claim('postgres')).rejects.toThrow('Set EVENT_STORE=eventstoredb and EVENTSTORE_URL, or choose');
  });

  it('cannot be an emptied server', async () => {
    await claim('eventstoredb');
    await expect(claim('eventstoredb')).rejects.toThrow(/is not the event store of this database: it has no identity/);
  });

  it('cannot be the server of another database', async () => {
    await claim('eventstoredb');
    const other = new InMemoryEventStore();
    await openStore(other, opener);
    await expect(claim('eventstoredb', other)).rejects.toThrow(
      /is not the event store of this database: it is .*, not/,
    );
  });

  it('is the same for services that start at once', async () => {
    const store = new InMemoryEventStore();
    await Promise.all(Array.from({ length: 5 }, () => claim('eventstoredb', store)));
    await claim('eventstoredb', store);
  });

  it('is that of the first of two services with different settings', async () => {
    const results = await Promise.allSettled([claim('eventstoredb'), claim('postgres')]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it('is not recorded by a tool that only reads', async () => {
    const auditor = createPool(database.connectionAs('auditor'));
    expect(await requireStore(auditor, 'postgres', new InMemoryEventStore())).toBeUndefined();
    await claim('postgres');
    await expect(requireStore(auditor, 'eventstoredb', new InMemoryEventStore())).rejects.toThrow(
      'EVENT_STORE=postgres',
    );
    await auditor.end();
  });

  describe('restored from an older copy', () => {
    const older = 'it ends at 1, before position 9 that was read from it, so it is an older copy';

    beforeEach(async () => {
      await owner.query(
        `INSERT INTO event_store.subscriptions (name, shard_count) VALUES ('cards', 1), ('checkpoint-sink-1', 1)`,
      );
      await owner.query(
        `INSERT INTO event_store.subscription_shards VALUES ('cards', 0, 1, 9), ('checkpoint-sink-1', 0, 1, 99)`,
      );
    });
    afterEach(() => owner.query('DELETE FROM event_store.subscription_shards; DELETE FROM event_store.subscriptions'));

    const olderStore = async (): Promise<InMemoryEventStore> => {
      const store = new InMemoryEventStore();
      await store.append('account-1', -1, [unknownEvent]);
      return store;
    };

    it.each(['postgres', 'eventstoredb'] as const)(
      'is rejected at the next start, with the ways out, on %s',
      async (kind) => {
        const store = await olderStore();
        await owner.query('INSERT INTO event_store.store_identity (kind) VALUES ($1)', [kind]);
        await expect(claim(kind, store)).rejects.toThrow(older);
      },
    );

    it('is accepted after a replay of all read models', async () => {
      const store = await olderStore();
      await owner.query(`INSERT INTO event_store.store_identity (kind, id) VALUES ('postgres', gen_random_uuid())`);
      await expect(claim('postgres', store)).rejects.toThrow('or accept the loss with `florin replay --older-log`');
      await requireStore(ledger, 'postgres', store, true);
      const projector = createPool(database.connectionAs('projector'));
      await acceptOlderLog(projector, store);
      await projector.end();
      await claim('postgres', store);
      const { rows } = await owner.query(
        'SELECT subscription, position::int FROM event_store.subscription_shards ORDER BY 1',
      );
      expect(rows).toEqual([
        { subscription: 'cards', position: 1 },
        { subscription: 'checkpoint-sink-1', position: 99 },
      ]);
    });
  });

  describe('recorded by an upgrade without an id', () => {
    beforeEach(async () => {
      await owner.query(`INSERT INTO event_store.store_identity (kind, position) VALUES ('eventstoredb', 2)`);
    });

    it('gets the id of a server that has everything that was read from it', async () => {
      const store = new InMemoryEventStore();
      await store.append('account-1', -1, [unknownEvent, { ...unknownEvent, id: unknownEvent.id.replace(/1$/, '2') }]);
      await claim('eventstoredb', store);
      await claim('eventstoredb', store);
      await expect(claim('eventstoredb')).rejects.toThrow('it has no identity');
    });

    it('rejects a server that ends before what was read from it', async () => {
      await expect(claim('eventstoredb')).rejects.toThrow('it ends at 0, before position 2 that was read from it');
    });
  });
});
