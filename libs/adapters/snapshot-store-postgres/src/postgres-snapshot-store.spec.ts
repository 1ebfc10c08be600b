import { createTestDatabase, type TestDatabase } from '@florin/database/testing';
import { snapshotStoreContract } from '@florin/event-sourcing/testing';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { PostgresSnapshotStore } from './postgres-snapshot-store.adapter';

snapshotStoreContract('PostgresSnapshotStore', async () => {
  const database = await createTestDatabase();
  const store = new PostgresSnapshotStore(database.connection, { log: { warn: () => undefined } });
  return {
    store,
    close: async () => {
      await store.close();
      await database.drop();
    },
  };
});

const state = Buffer.from('state');
const snapshot = { stream: 'account-1', revision: 9, hash: 'a', version: '1', state, digest: 'd' };

/** The logged messages. */
class Warnings {
  readonly details: object[] = [];
  readonly messages: string[] = [];
  readonly log = {
    warn: (details: object, message: string): void => {
      this.details.push(details);
      this.messages.push(message);
    },
  };
}

describe('PostgresSnapshotStore', () => {
  let database: TestDatabase;
  let warnings: Warnings;
  let store: PostgresSnapshotStore;

  beforeAll(async () => void (database = await createTestDatabase()));
  afterAll(() => database.drop());

  beforeEach(() => {
    warnings = new Warnings();
    store = new PostgresSnapshotStore(database.connection, { log: warnings.log, maxBytes: 5 });
  });
  afterEach(() => store.close());

  test('logs why a snapshot is discarded', async () => {
    await store.discard(snapshot, 'it is damaged');
    expect(warnings.details).toEqual([{ stream: 'account-1', revision: 9, reason: 'it is damaged' }]);
  });

  test('stores no snapshot that is too large, and logs it', async () => {
    await store.save(snapshot);
    await store.save({ ...snapshot, revision: 10, state: Buffer.from('states') });
    expect(await store.find('account-1', '1')).toMatchObject({ revision: 9 });
    expect(warnings.details).toEqual([{ stream: 'account-1', revision: 10, bytes: 6, maxBytes: 5 }]);
  });

  test('waits on close for snapshots that are being stored', async () => {
    const another = new PostgresSnapshotStore(database.connection, { log: warnings.log });
    const saved = another.save({ ...snapshot, stream: 'account-2' });
    await another.close();
    await saved;
    expect(await store.find('account-2', '1')).toMatchObject({ revision: 9 });
    expect(warnings.messages).toEqual([]);
  });
});

describe('PostgresSnapshotStore without a responding database', () => {
  let silent: Server;
  const sockets: Socket[] = [];

  beforeAll(async () => {
    silent = createServer((socket) => void sockets.push(socket));
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
  });
  afterAll(() => {
    for (const socket of sockets) socket.destroy();
    silent.close();
  });

  test('delays no caller for long and loses nothing but a snapshot', async () => {
    const warnings = new Warnings();
    const { port } = silent.address() as AddressInfo;
    const store = new PostgresSnapshotStore({ host: '127.0.0.1', port }, { log: warnings.log, timeoutMs: 50 });
    await store.save(snapshot);
    expect(await store.find('account-1', '1')).toBeUndefined();
    await store.discard(snapshot, 'it is damaged');
    await store.close();
    expect(warnings.messages).toEqual([
      'Cannot store a snapshot; a later one will be stored',
      'Cannot read a snapshot; reading the stream from its first event',
      'A snapshot is unusable; reading the stream from its first event',
      'Cannot delete a snapshot; it will be checked again',
    ]);
  });
});
