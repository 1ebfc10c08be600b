import { type DatabaseConnection, temporaryDataDirectory, writeEventStoreMark } from '@florin/database';
import { readdirSync, rmSync } from 'node:fs';
import { readConfig } from './config';
import { openDatabaseServer } from './database-server';
import { createLog } from './log';

describe('openDatabaseServer', () => {
  let folder: string;
  let prepared: DatabaseConnection[] = [];
  beforeEach(() => {
    prepared = [];
    folder = temporaryDataDirectory('florin-folder-');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const open = (env: Readonly<Record<string, string>>) =>
    openDatabaseServer(readConfig({ FLORIN_DATA_DIR: folder, ...env }), {
      role: 'all-in-one',
      log: createLog('silent'),
      prepare: async (owner) => void prepared.push(owner),
      onLost: () => undefined,
    });

  it('rejects a folder whose events are in another store, without changing it', async () => {
    writeEventStoreMark(folder, 'eventstoredb');
    await expect(open({})).rejects.toThrow(
      `The folder ${folder} stores its events in eventstoredb; set EVENT_STORE=eventstoredb and EVENTSTORE_URL, ` +
        'or choose another folder with FLORIN_DATA_DIR.',
    );
    expect(readdirSync(folder)).toEqual(['event-store']);
  });

  it('rejects a folder whose events are in Postgres if another store is configured', async () => {
    writeEventStoreMark(folder, 'postgres');
    const elsewhere = { EVENT_STORE: 'eventstoredb', EVENTSTORE_URL: 'esdb://127.0.0.1:1' };
    await expect(open(elsewhere)).rejects.toThrow('stores its events in postgres; set EVENT_STORE=postgres, or choose');
  });

  it('ignores the event store of the folder if DATABASE_URL is set', async () => {
    writeEventStoreMark(folder, 'eventstoredb');
    const connectionString = 'postgres://127.0.0.1:1/florin';
    expect(await open({ DATABASE_URL: connectionString })).toMatchObject({ connection: { connectionString } });
  });

  it('prepares the database with the user of DATABASE_OWNER_URL, and then uses that of DATABASE_URL', async () => {
    const [runtime, owner] = ['postgres://florin_ledger@127.0.0.1:1/florin', 'postgres://owner@127.0.0.1:1/florin'];
    const server = await open({ DATABASE_URL: runtime, DATABASE_OWNER_URL: owner });
    expect(prepared).toEqual([{ connectionString: owner }]);
    expect(server.connection).toEqual({ connectionString: runtime });
    await open({ DATABASE_URL: runtime });
    expect(prepared).toEqual([{ connectionString: owner }, { connectionString: runtime }]);
  });
});
