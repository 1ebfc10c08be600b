import { setTimeout as pause } from 'node:timers/promises';
import { createTestDatabase, type TestDatabase } from '@florin/database/testing';
import { type Membership, type ShardClaim, ShardLost } from '@florin/event-sourcing';
import { randomId } from '@florin/kernel';
import { Client, type PoolClient } from 'pg';
import { PostgresCheckpointStore } from './postgres-checkpoint-store.adapter';

describe('PostgresCheckpointStore', () => {
  let database: TestDatabase;
  let observer: Client;
  let subscription: string;
  const stores: PostgresCheckpointStore[] = [];

  beforeAll(async () => {
    database = await createTestDatabase();
    observer = new Client({ ...database.connection });
    await observer.connect();
  });
  beforeEach(() => {
    subscription = randomId();
  });
  afterEach(async () => {
    await Promise.all(stores.splice(0).map((store) => store.close()));
  });
  afterAll(async () => {
    await observer.end();
    await database.drop();
  });

  function open(connection: object = database.connection): PostgresCheckpointStore {
    const store = new PostgresCheckpointStore(connection);
    stores.push(store);
    return store;
  }

  async function claimOnlyShard(store: PostgresCheckpointStore): Promise<[Membership<PoolClient>, ShardClaim]> {
    const membership = await store.join(subscription, 1);
    const [claim] = await membership.balance(async () => undefined);
    return [membership, claim!];
  }

  async function terminate(process: string): Promise<void> {
    await observer.query(`SELECT pg_terminate_backend(pid) FROM (${process}) AS process`);
  }

  async function until(condition: string): Promise<void> {
    for (let tries = 0; tries < 500; tries++) {
      if ((await observer.query(condition)).rows.length > 0) return;
      await pause(5);
    }
    throw new Error(`Condition was never met: ${condition}`);
  }

  const lockHolders = `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 2 AND mode = 'ExclusiveLock'
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

  it('rolls back a step whose connection breaks and continues with the next attempt', async () => {
    const store = open();
    const [membership, claim] = await claimOnlyShard(store);
    const broken = membership.advance(claim, 5n, async (tx) => {
      await tx.query('SELECT pg_terminate_backend(pg_backend_pid())');
    });
    await expect(broken).rejects.toThrow();
    expect(await store.position(subscription)).toBe(0n);
    await membership.advance(claim, 5n, async () => undefined);
    expect(await store.position(subscription)).toBe(5n);
  });

  it('finishes a step in progress before the next owner continues after it', async () => {
    const [zombie, old] = await claimOnlyShard(open());
    const heir = await open().join(subscription, 1);
    let inheritance: Promise<readonly ShardClaim[]> | undefined;
    await zombie.advance(old, 20n, async () => {
      await terminate(lockHolders);
      await until(`SELECT WHERE NOT EXISTS (${lockHolders})`);
      inheritance = heir.balance(async () => undefined);
      await until(`SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'transactionid'`);
    });
    expect(await inheritance).toMatchObject([{ shard: 0, position: 20n }]);
  });

  it.each([
    ['with work', async () => undefined],
    ['without', undefined],
  ])('leaves no gap after a server crash has undone steps: a step %s', async (_, work) => {
    const store = open();
    const [membership, claim] = await claimOnlyShard(store);
    await membership.advance(claim, 5n, work);
    await membership.advance(claim, 9n, work);
    // Simulates a server that was killed before it had written the last steps to disk.
    await observer.query('UPDATE event_store.subscription_shards SET position = 5 WHERE subscription = $1', [
      subscription,
    ]);
    await expect(membership.advance(claim, 12n, work)).rejects.toBeInstanceOf(ShardLost);
    expect(await store.position(subscription)).toBe(5n);
    await terminate(lockHolders);
    await until(`SELECT WHERE NOT EXISTS (${lockHolders})`);
    const [again] = await membership
      .balance(async () => undefined)
      .catch(() => membership.balance(async () => undefined));
    expect(again).toMatchObject({ shard: 0, position: 5n });
    await membership.advance(again!, 12n, work);
    expect(await store.position(subscription)).toBe(12n);
  });

  it('rejects a second join in one process until the first membership has left', async () => {
    const store = open();
    const membership = await store.join(subscription, 1);
    await expect(store.join(subscription, 1)).rejects.toThrow('has joined subscription');
    await membership.leave();
    await store.join(subscription, 1);
  });

  it('serves many subscriptions concurrently through one session', async () => {
    const store = open();
    const names = Array.from({ length: 12 }, () => randomId());
    const members = await Promise.all(names.map((name) => store.join(name, 2)));
    const claims = await Promise.all(members.map((member) => member.balance(async () => undefined)));
    expect(claims.map((own) => own.length)).toEqual(names.map(() => 2));
    expect((await observer.query(`SELECT DISTINCT pid FROM (${lockHolders}) AS holder`)).rows).toHaveLength(1);
  });

  it('reports an unreachable database and can still be closed', async () => {
    const store = open({ ...database.connection, port: 1 });
    await expect(store.join(subscription, 1)).rejects.toThrow();
    await expect(store.position(subscription)).rejects.toThrow();
  });
});
