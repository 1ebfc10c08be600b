import { setTimeout as pause } from 'node:timers/promises';
import { createTestDatabase, type TestDatabase } from '@florin/database/testing';
import {
  AppendOutcomeUnknown,
  beforeFirst,
  EventStoreOverloaded,
  EventStoreUnreachable,
  noStream,
  RevisionConflict,
} from '@florin/event-sourcing';
import { Follower, newEvent, newEvents, newStream, wholeStream } from '@florin/event-sourcing/testing';
import { Client } from 'pg';
import { PostgresEventStore, type PostgresEventStoreOptions } from './postgres-event-store.adapter';

describe('PostgresEventStore', () => {
  let database: TestDatabase;
  let observer: Client;
  const stores: PostgresEventStore[] = [];

  beforeAll(async () => {
    database = await createTestDatabase();
    observer = new Client({ ...database.connection });
    await observer.connect();
  });
  afterEach(async () => {
    await observer.query('ROLLBACK');
    await Promise.all(stores.splice(0).map((store) => store.close()));
  });
  afterAll(async () => {
    await observer.end();
    await database.drop();
  });

  function open(options: PostgresEventStoreOptions = {}, connection: object = database.connection): PostgresEventStore {
    const store = new PostgresEventStore(connection, options);
    stores.push(store);
    return store;
  }

  /** Simulates another process during an append: positions are taken, nothing is committed. */
  async function appendWithoutCommit(stream: string, id: string): Promise<void> {
    await observer.query('BEGIN');
    await observer.query(
      `SELECT event_store.append($1, '{0}', $2, '{Foreign}', '{"{}"}', '{"{}"}', '{}', '{}', true)`,
      [[stream], [id]],
    );
  }

  const waitingAppenders = `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
  const everyoneElse = `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`;

  async function untilAnAppendWaits(): Promise<void> {
    for (let tries = 0; tries < 500; tries++) {
      if ((await observer.query(waitingAppenders)).rows.length > 0) return;
      await pause(5);
    }
    throw new Error('No append was blocked by the lock');
  }

  async function terminate(processes: string): Promise<void> {
    await observer.query(`SELECT pg_terminate_backend(pid) FROM (${processes}) AS process`);
  }

  describe('that expects its identity', () => {
    const id = '11111111-1111-4111-8111-111111111111';
    let newest: TestDatabase;
    let other: Client;

    beforeEach(async () => {
      newest = await createTestDatabase();
      other = new Client({ ...newest.connection });
      await other.connect();
      await other.query(`INSERT INTO event_store.store_identity (kind, id) VALUES ('postgres', $1)`, [id]);
    });
    afterEach(async () => {
      await Promise.all(stores.splice(0).map((store) => store.close()));
      await other.end();
      await newest.drop();
    });

    /** Every new connection is to the changed database. */
    async function exchanged(change: string): Promise<void> {
      await other.query('ALTER TABLE event_store.events DISABLE TRIGGER USER');
      await other.query(change);
      await other.query(`SELECT pg_terminate_backend(pid) FROM (${everyoneElse}) AS process`);
    }

    async function openWithEvents(): Promise<PostgresEventStore> {
      const store = open({}, newest.connection);
      store.expectIdentity(id);
      await store.append('account-1', noStream, newEvents(3));
      return store;
    }

    /** The append that notices the broken connection may fail for that reason. */
    async function nextAppend(store: PostgresEventStore): Promise<unknown> {
      for (;;) {
        const error: unknown = await store.append('account-1', 2, newEvents(1)).catch((reason: unknown) => reason);
        if (!(error instanceof AppendOutcomeUnknown || error instanceof EventStoreUnreachable)) return error;
      }
    }

    it.each([
      ['another database', `UPDATE event_store.store_identity SET id = gen_random_uuid()`, 'it is '],
      ['an older copy', 'DELETE FROM event_store.events WHERE position > 2', 'it ends at 2, before position 3'],
    ])('stores nothing in %s behind the same address', async (_name, change, difference) => {
      const store = await openWithEvents();
      await exchanged(change);
      expect(await nextAppend(store)).toMatchObject({
        name: 'EventStoreMismatch',
        message: expect.stringContaining(difference) as string,
      });
      await expect(store.requireIdentity(other as never)).rejects.toThrow(difference);
      const { rows } = await other.query<{ head: string }>('SELECT max(position) AS head FROM event_store.events');
      expect(Number(rows[0]!.head)).toBeLessThanOrEqual(3);
    });
  });

  it('never lets a reader skip an append that another process has not committed yet', async () => {
    const store = open();
    const after = await store.head();
    const listener = new Follower(store, { after });
    const [late, early] = [newEvent(), newEvent()];
    await appendWithoutCommit(newStream(), late.id);
    const appended = store.append(newStream(), noStream, [early]);
    await untilAnAppendWaits();
    expect(await store.head()).toBe(after);
    await observer.query('COMMIT');
    await appended;
    const seen = await listener.untilEvents(2);
    expect(seen.map(({ id }) => id)).toEqual([late.id, early.id]);
    await listener.stop();
  });

  it('writes concurrent appends in a few transactions', async () => {
    const store = open();
    const after = await store.head();
    await store.append(newStream(), noStream, [newEvent()]);
    await Promise.all(Array.from({ length: 300 }, () => store.append(newStream(), noStream, newEvents(2))));
    const { rows } = await observer.query('SELECT DISTINCT xmin FROM event_store.events WHERE position > $1', [after]);
    // One for the first few, then 128 appends of two events per batch.
    expect(rows.length).toBeLessThanOrEqual(5);
  });

  it('reports an unknown outcome when a connection breaks, and continues with a new one', async () => {
    const store = open();
    const [stream, neighbour] = [newStream(), newStream()];
    const event = newEvent();
    await appendWithoutCommit(newStream(), newEvent().id);
    const doomed = Promise.allSettled([stream, neighbour].map((name) => store.append(name, noStream, [event])));
    await untilAnAppendWaits();
    await terminate(waitingAppenders);
    for (const outcome of await doomed) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(AppendOutcomeUnknown) as unknown });
    }
    await observer.query('ROLLBACK');
    await store.append(stream, noStream, [event]);
    expect(await wholeStream(store, stream)).toHaveLength(1);
  });

  it('continues after all connections were lost while idle', async () => {
    const store = open({ pollEveryMs: 20 });
    const after = await store.head();
    const listener = new Follower(store, { after });
    const [before, between] = [newEvent(), newEvent()];
    await store.append(newStream(), noStream, [before]);
    await listener.untilEvents(1);
    await terminate(everyoneElse);
    // The first append may still use the connection that was just lost.
    const stream = newStream();
    await store.append(stream, noStream, [between]).catch(() => store.append(stream, noStream, [between]));
    const seen = await listener.untilEvents(2);
    expect(seen.map(({ id }) => id)).toEqual([before.id, between.id]);
    await listener.stop();
  });

  it('delivers its own appends to subscriptions without waiting for a notification', async () => {
    const store = open({ pollEveryMs: 3_600_000 });
    const listener = new Follower(store, { after: await store.head() });
    for (let count = 1; count <= 3; count++) {
      await store.append(newStream(), noStream, [newEvent()]);
      await listener.untilEvents(count);
    }
    await listener.stop();
  });

  it('ends a subscription immediately, even during a read', async () => {
    const store = open();
    await observer.query('BEGIN');
    await observer.query('LOCK TABLE event_store.events IN ACCESS EXCLUSIVE MODE');
    const controller = new AbortController();
    const page = store.subscribe({ after: beforeFirst }, controller.signal)[Symbol.asyncIterator]().next();
    controller.abort();
    expect((await page).done).toBe(true);
  });

  it('follows another process through notifications, without polling', async () => {
    const store = open({ pollEveryMs: 3_600_000 });
    const another = open();
    const listener = new Follower(store, { after: await store.head() });
    for (let count = 1; count <= 3; count++) {
      await another.append(newStream(), noStream, [newEvent()]);
      await listener.untilEvents(count);
    }
    await listener.stop();
  });

  it('finds events that were stored without a notification', async () => {
    const store = open({ pollEveryMs: 20 });
    const after = await store.head();
    const listener = new Follower(store, { after });
    await store.append(newStream(), noStream, [newEvent()]);
    await listener.untilEvents(1);
    await observer.query(
      `INSERT INTO event_store.events
       SELECT max(position) + 1, $1, 0, gen_random_uuid(), 'Silent', '{}', '{}' FROM event_store.events`,
      [newStream()],
    );
    expect((await listener.untilEvents(2))[1]?.type).toBe('Silent');
    await listener.stop();
  });

  it('reports an unreachable database to all callers and can still be closed', async () => {
    const store = open({}, { ...database.connection, port: 1 });
    const outcomes = await Promise.allSettled([
      ...Array.from({ length: 5 }, () => store.append(newStream(), noStream, newEvents(200))),
      store.append('account-1', noStream, [newEvent()]),
      store.append('account-1', 0, [newEvent()]),
    ]);
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(EventStoreUnreachable) as unknown });
    }
    await expect(store.head()).rejects.toThrow();
    await expect(wholeStream(store, 'account-1')).rejects.toThrow();
    await expect(new Follower(store, { after: beforeFirst }).untilEvents(1)).rejects.toThrow();
  });

  it('rejects a waiting subscription when the database becomes unreachable', async () => {
    const doomed = await createTestDatabase();
    const store = open({ pollEveryMs: 20 }, doomed.connection);
    const listener = new Follower(store, { after: beforeFirst });
    await store.append(newStream(), noStream, [newEvent()]);
    await listener.untilEvents(1);
    const waiting = listener.untilEvents(2);
    const rejection = expect(waiting).rejects.toThrow();
    // The server gives connected clients a few seconds to disconnect.
    await doomed.drop();
    await rejection;
  }, 20_000);

  it('rejects a subscription after a position beyond the end of the store', async () => {
    const store = open();
    const after = (await store.head()) + 10n;
    await expect(new Follower(store, { after }).untilEvents(1)).rejects.toThrow('the store ends before it');
  });

  it('finishes accepted appends before it closes and accepts none afterwards', async () => {
    const store = new PostgresEventStore(database.connection);
    const stream = newStream();
    const accepted = Promise.all([
      ...Array.from({ length: 300 }, () => store.append(newStream(), noStream, newEvents(3))),
      store.append(stream, noStream, [newEvent()]),
      store.append(stream, 0, [newEvent()]),
    ]);
    let isSettled = false;
    void accepted.then(() => (isSettled = true));
    await store.close();
    expect(isSettled).toBe(true);
    expect(await wholeStream(open(), stream)).toHaveLength(2);
    await expect(store.append(newStream(), noStream, [newEvent()])).rejects.toThrow('closed');
  });

  it('rejects appends beyond its limit', async () => {
    const store = open({ maxWaitingAppends: 3 });
    const outcomes = await Promise.allSettled(
      Array.from({ length: 4 }, () => store.append(newStream(), noStream, [newEvent()])),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected']);
    expect(outcomes[3]).toMatchObject({ reason: expect.any(EventStoreOverloaded) as unknown });
    await store.append(newStream(), noStream, [newEvent()]);
  });

  it.each([
    ['an id that is not a UUID', 'account-1', 0, newEvent({ id: 'x' })],
    ['an uppercase id', 'account-1', 0, newEvent({ id: newEvent().id.toUpperCase().replace(/^./, 'A') })],
    ['a NUL in its data', 'account-1', 0, newEvent({ data: '"\0"' })],
    ['a NUL in its type', 'account-1', 0, newEvent({ type: '\0' })],
    ['an empty stream name', '', 0, newEvent()],
    ['a stream name that is too long', 'x'.repeat(501), 0, newEvent()],
    ['a revision before the first', 'account-1', -2, newEvent()],
    ['a revision that is not an integer', 'account-1', 0.5, newEvent()],
  ])('rejects %s without affecting other appends of the batch', async (_what, stream, revision, event) => {
    const store = open();
    const neighbour = store.append(newStream(), noStream, [newEvent()]);
    const refusal: unknown = await store.append(stream, revision, [event]).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(Error);
    expect(refusal).not.toBeInstanceOf(RevisionConflict);
    await neighbour;
  });

  it('stores the longest valid name', async () => {
    const store = open();
    const stream = '日'.repeat(500);
    await store.append(stream, noStream, [newEvent()]);
    expect(await wholeStream(store, stream)).toHaveLength(1);
  });

  it.each([
    'UPDATE event_store.events SET data = data',
    'DELETE FROM event_store.events',
    'TRUNCATE event_store.events',
  ])('prevents every client from %s', async (statement) => {
    await expect(observer.query(statement)).rejects.toThrow('never changed or deleted');
  });
});
