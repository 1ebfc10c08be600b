import { createPool, databaseUrl } from '@florin/database';
import { createTestDatabase, type TestDatabase } from '@florin/database/testing';
import { openStore } from '@florin/event-sourcing';
import { sealedLog } from '@florin/event-sourcing/testing';
import { OrderedAppends } from '@florin/event-store-postgres';
import { randomId, systemClock } from '@florin/kernel';
import type { Pool } from 'pg';
import { runCli } from './run-cli';
import { type FakeServer, openEventStoreDb, startFakeEventStoreDb } from './testing/open-eventstoredb';
import { runCommand } from './testing/run-command';

jest.setTimeout(60_000);

const command = ['log', 'copy', '--from', 'postgres', '--to', 'eventstoredb'];
const count = 1_500;

describe('florin log copy', () => {
  let database: TestDatabase;
  let pool: Pool;
  let server: FakeServer;
  let environment: Readonly<Record<string, string>>;

  beforeEach(async () => {
    [database, server] = await Promise.all([createTestDatabase(), startFakeEventStoreDb()]);
    // Not named like the sessions of Florin.
    pool = createPool(database.connection, { max: 1, applicationName: 'spec' });
    environment = { DATABASE_URL: databaseUrl(database.connection), EVENTSTORE_URL: server.url };
    await pool.query(`INSERT INTO event_store.store_identity (kind, id) VALUES ('postgres', gen_random_uuid())`);
    const writer = new OrderedAppends({ ...database.connection, application_name: 'spec' });
    const plain = Array.from({ length: count }, (_, index) => ({
      ...{ stream: `note-${index % 11}`, id: randomId(), type: 'Noted', data: `{"number":${index}}` },
    }));
    await writer.append(sealedLog(plain));
    await writer.close();
  });
  afterEach(async () => {
    await server.stop();
    await pool.end();
    await database.drop();
  });

  const kind = async () =>
    (await pool.query<{ kind: string }>('SELECT kind FROM event_store.store_identity')).rows[0]?.kind;

  it('does not switch to a copy of a log that was changed', async () => {
    await pool.query('ALTER TABLE event_store.events DISABLE TRIGGER ALL');
    const changed = `data = '{"number":9}', metadata = '{}', packed = NULL`;
    await pool.query(`UPDATE event_store.events SET ${changed} WHERE position = 3`);
    await pool.query('DELETE FROM event_store.events WHERE position = $1', [count - 1]);
    const { exitCode, err } = await runCommand(command, environment);
    expect(exitCode).toBe(1);
    expect(err).toContain('note-2@0 (position 3): ');
    expect(err).toContain(`position ${count - 1}: the event was removed`);
    expect(await kind()).toBe('postgres');
  });

  it('does not copy to a server with another log', async () => {
    const store = await openEventStoreDb(server.url);
    await openStore(store, { service: 'ledger', florinVersion: '1.0.0', clock: systemClock });
    await store.close();
    const { exitCode, err } = await runCommand(command, environment);
    expect(exitCode).toBe(3);
    expect(err).toContain('has events that are not a copy of this log. Set EVENTSTORE_URL to an empty server.');
    expect(err).toContain('postgres remains the event store of this database.');
  });

  it('rejects an empty log', async () => {
    await pool.query('ALTER TABLE event_store.events DISABLE TRIGGER ALL');
    await pool.query('DELETE FROM event_store.events');
    expect(await runCommand(command, environment)).toMatchObject({
      exitCode: 3,
      err: expect.stringContaining('The log is empty: nothing to copy.') as string,
    });
  });

  it('continues when the connection to the server breaks', async () => {
    let breaks = 0;
    const output: string[] = [];
    const exitCode = await runCli(command, {
      environment,
      print: (text) => output.push(text),
      printError: (text) => output.push(text),
      showStatus: (text) => {
        if (!text.startsWith('Copied') || breaks === 2) return;
        breaks += 1;
        server.dropConnections();
      },
    });
    expect({ exitCode, breaks, output }).toMatchObject({ exitCode: 0, breaks: 2 });
    expect(output.join()).toContain(`Copied ${count} events from postgres to eventstoredb and verified them.`);
    expect(await kind()).toBe('eventstoredb');
  });
});
