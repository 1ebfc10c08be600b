import { temporaryDataDirectory, writeEventStoreMark } from '@florin/database';
import { readdirSync, rmSync } from 'node:fs';
import { readConfig } from './config';
import { openDatabaseServer } from './database-server';
import { createLog } from './log';

describe('opening the database of a data folder', () => {
  let folder: string;
  beforeEach(() => {
    folder = temporaryDataDirectory('florin-folder-');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const open = (env: Readonly<Record<string, string>>) =>
    openDatabaseServer(readConfig({ FLORIN_DATA_DIR: folder, ...env }), createLog('silent'), () => undefined);

  it('refuses one whose events are elsewhere, and leaves it as it is', async () => {
    writeEventStoreMark(folder, 'eventstoredb');
    await expect(open({})).rejects.toThrow(
      `The folder ${folder} keeps its events in eventstoredb; set EVENT_STORE=eventstoredb and EVENTSTORE_URL, ` +
        'or choose another folder with FLORIN_DATA_DIR.',
    );
    expect(readdirSync(folder)).toEqual(['event-store']);
  });

  it('refuses one whose events are here when they are looked for elsewhere', async () => {
    writeEventStoreMark(folder, 'postgres');
    const elsewhere = { EVENT_STORE: 'eventstoredb', EVENTSTORE_URL: 'esdb://127.0.0.1:1' };
    await expect(open(elsewhere)).rejects.toThrow('keeps its events in postgres; set EVENT_STORE=postgres, or choose');
  });

  it('does not mind the mark where the database is one of your own', async () => {
    writeEventStoreMark(folder, 'eventstoredb');
    const connectionString = 'postgres://127.0.0.1:1/florin';
    expect(await open({ DATABASE_URL: connectionString })).toMatchObject({ connection: { connectionString } });
  });
});
