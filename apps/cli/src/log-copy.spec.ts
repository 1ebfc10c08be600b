import { PostgresCheckpointStore, PostgresLogCheckpoints } from '@florin/checkpoint-store-postgres';
import { createPool, databaseUrl, temporaryDataDirectory } from '@florin/database';
import { createTestDatabase, type TestDatabase } from '@florin/database/testing';
import { describeWithEventStoreDb, EVENTSTOREDB_TIMEOUT_MS, startTestEventStoreDb } from '@florin/dev-platform/testing';
import {
  catchUp,
  type EventStore,
  identityStream,
  LogPublicKeys,
  LogSigningKey,
  Progress,
  type RecordedEvent,
  runLogSigner,
  sealEvent,
} from '@florin/event-sourcing';
import { commandLog, silentLog } from '@florin/event-sourcing/testing';
import { PostgresEventStore } from '@florin/event-store-postgres';
import { KeyRing, randomId, systemClock } from '@florin/kernel';
import { until } from '@florin/kernel/testing';
import { accountAggregate } from '@florin/ledger-domain';
import { comparedProjections, webhooksProjection } from '@florin/read-models/tools';
import { readFileSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Pool } from 'pg';
import type { AuditReport } from './audit/audit-report';
import { runCli } from './run-cli';
import { openEventStoreDb } from './testing/open-eventstoredb';
import { type CommandResult, runCommand } from './testing/run-command';

jest.setTimeout(EVENTSTOREDB_TIMEOUT_MS);

const recorded = readFileSync(resolve(__dirname, '../../../tools/recorded-logs/unreleased.jsonl'), 'utf8').trim();
const key = LogSigningKey.generate();
const fillerEvents = 1_200;
const archiveDirectory = temporaryDataDirectory('florin-copied-archive-');
afterAll(() => rmSync(archiveDirectory, { recursive: true }));

/** Pools of a store end before their sessions do, so each is used for one step only. */
async function using<Store extends { close(): Promise<void> }, Result>(
  store: Store,
  work: (store: Store) => Promise<Result>,
): Promise<Result> {
  return work(store).finally(() => store.close());
}

describeWithEventStoreDb('florin log copy', () => {
  let server: Awaited<ReturnType<typeof startTestEventStoreDb>>;
  let database: TestDatabase;
  let environment: Readonly<Record<string, string>>;
  /** Before the first copy. */
  let original: Awaited<ReturnType<typeof positions>>;

  beforeAll(async () => {
    [server, database] = await Promise.all([startTestEventStoreDb('--mem-db'), createTestDatabase()]);
    environment = {
      DATABASE_URL: databaseUrl(database.connection),
      EVENTSTORE_URL: server.server.url,
      LOG_SIGNING_KEY: key.pem,
      ARCHIVE_DIR: archiveDirectory,
    };
    await query((pool) =>
      pool.query(`INSERT INTO event_store.store_identity (kind, id) VALUES ('postgres', gen_random_uuid())`),
    );
    await query((pool) =>
      pool.query(
        `INSERT INTO event_store.events (position, stream, revision, id, type, data, metadata)
         SELECT position, stream, revision, id, type, data, metadata FROM json_to_recordset($1)
           AS line (position bigint, stream text, revision int, id uuid, type text, data text, metadata text)`,
        [`[${recorded.split('\n').join(',')}]`],
      ),
    );
    await using(new PostgresEventStore(database.connection, { archiveDirectory }), async (store) => {
      await fill(store, fillerEvents);
      await project(store);
      await sign(store, 'postgres');
    });
    const { out } = await runCommand(['archive', '--older-than', '0d', '--json'], environment);
    expect(JSON.parse(out)).toMatchObject({ files: 1 });
    original = await positions();
    expect(original.deliveries.length).toBeGreaterThan(0);
  });

  afterAll(async () => {
    await server.remove();
    await database.drop();
  });

  async function query<Result>(work: (pool: Pool) => Promise<Result>): Promise<Result> {
    const pool = createPool(database.connection, { max: 1, applicationName: 'spec' });
    return work(pool).finally(() => pool.end());
  }

  /** Events of several streams, alternately. */
  async function fill(store: EventStore, count: number): Promise<void> {
    const metadata = { schemaVersion: 1, recordedAt: '2030-01-01T00:00:00.000Z', correlationId: 'c', causationId: 'c' };
    const hashes = new Map<string, string>();
    for (let index = 0; index < count; index++) {
      const [stream, revision] = [`note-${index % 7}`, Math.floor(index / 7)];
      const event = { stream, revision, id: randomId(), type: 'Noted', data: `{"text":"é ${index}"}`, metadata };
      const { sealed, hash } = sealEvent(event, hashes.get(stream) ?? '');
      hashes.set(stream, hash);
      await store.append(stream, revision - 1, [sealed]);
    }
  }

  async function project(store: EventStore): Promise<void> {
    await using(new PostgresCheckpointStore(database.connection), async (checkpoints) => {
      const runtime = { store, checkpoints, progress: new Progress(), log: silentLog, isTransient: () => false };
      const head = await store.head();
      for (const projection of [...comparedProjections, webhooksProjection(new KeyRing([]))]) {
        await catchUp(projection, runtime, head);
      }
    });
  }

  /** Runs the production signer to the end of the log. */
  async function sign(store: EventStore, storeName: string): Promise<void> {
    await query(async (pool) => {
      const checkpointLog = new PostgresLogCheckpoints(pool);
      await using(new PostgresCheckpointStore(database.connection), async (checkpoints) => {
        const signer = runLogSigner({
          ...{ store, checkpoints, checkpointLog, key, earlierKeys: new LogPublicKeys([]), storeName, log: silentLog },
          ...{ clock: systemClock, progress: new Progress(), isTransient: () => false, maxAgeMs: 50 },
        });
        const head = await store.head();
        await until(async () => (await checkpointLog.newest())?.position === head);
        await signer.stop();
      });
    });
  }

  const copy = (from: string, to: string, ...args: readonly string[]): Promise<CommandResult> =>
    runCommand(['log', 'copy', '--from', from, '--to', to, ...args], environment);

  const eventsOf = (store: EventStore): Promise<readonly Omit<RecordedEvent, 'position'>[]> =>
    readAll(store).then((events) => events.map(({ position: _, ...event }) => event));

  async function readAll(store: EventStore): Promise<readonly RecordedEvent[]> {
    const events: RecordedEvent[] = [];
    for (let after = 0n, isLast = false; !isLast;) {
      const page = await store.readAll({ after });
      events.push(...page.events.filter(({ stream }) => stream !== identityStream));
      ({ readTo: after, isLast } = page);
    }
    return events;
  }

  const inPostgres = () => using(new PostgresEventStore(database.connection, { archiveDirectory }), eventsOf);
  const inEventStoreDb = async () => using(await openEventStoreDb(server.server.url), eventsOf);

  async function expectClean(kind: string): Promise<void> {
    const env = { ...environment, EVENT_STORE: kind };
    const verified = await runCommand(['verify', '--checkpoints', 'stored', '--json'], env);
    expect(verified).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(verified.out)).toMatchObject({ broken: [], evidence: { findings: [] } });
    const audited = JSON.parse((await runCommand(['audit', '--json'], env)).out) as AuditReport;
    expect(audited.flaws).toEqual([]);
    expect(new Set(audited.readModels.map(({ state }) => state))).toEqual(new Set(['agrees']));
  }

  /** All that depends on positions, and what must not be sent again. */
  const positions = () =>
    query(async (pool) => {
      const rows = async (sql: string) => (await pool.query<{ readonly position: string }>(sql)).rows;
      return {
        deliveries: await rows('SELECT * FROM webhooks.deliveries ORDER BY id'),
        webhooks: await rows('SELECT id, object_version, position FROM webhooks.compact_events ORDER BY position, id'),
        sentUpTo: await rows('SELECT position FROM webhooks.sent_up_to'),
      };
    });
  const withoutPositions = (rows: readonly { readonly position: string }[]) =>
    rows.map(({ position: _, ...row }) => row);

  it('rejects a wrong command line, a wrong store and a running Florin', async () => {
    expect(await copy('postgres', 'postgres')).toMatchObject({ exitCode: 2 });
    expect(await copy('postgres', 'mongodb')).toMatchObject({ exitCode: 2 });
    expect((await runCommand(['log', 'copy'])).err).toContain('missing --from <store>, --to <store>');
    expect((await runCommand(['log', 'copy', '--help'])).out).toContain('Stop all services of Florin first.');
    const { LOG_SIGNING_KEY: _, ...unsigned } = environment;
    const copyAll = ['log', 'copy', '--from', 'postgres', '--to', 'eventstoredb'];
    expect(await runCommand(copyAll, { ...unsigned, LOG_PUBLIC_KEYS: key.publicKey.text })).toMatchObject({
      exitCode: 3,
      err: expect.stringContaining('Set LOG_SIGNING_KEY') as string,
    });
    const asLedger = { ...environment, DATABASE_URL: databaseUrl(database.connectionAs('ledger')) };
    expect(await runCommand(copyAll, asLedger)).toMatchObject({
      exitCode: 3,
      err: expect.stringContaining('Set DATABASE_OWNER_URL to the owner') as string,
    });
    const service = createPool(database.connection, { max: 1, applicationName: 'florin' });
    await service.query('SELECT 1');
    const running = await copy('postgres', 'eventstoredb');
    await service.end();
    expect(running).toMatchObject({ exitCode: 3, err: expect.stringContaining('Florin is running') as string });
  });

  it('only checks with --dry-run', async () => {
    const { exitCode, out, err } = await copy('postgres', 'eventstoredb', '--dry-run');
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' });
    expect(out).toContain('eventstoredb, which is empty. The copy would be signed. Nothing was changed.');
    expect(await inEventStoreDb()).toEqual([]);
  });

  it('continues an interrupted copy, and Florin can use the old store meanwhile', async () => {
    const interruption = new AbortController();
    const exitCode = await runCli(['log', 'copy', '--from', 'postgres', '--to', 'eventstoredb'], {
      environment,
      ...{ print: () => undefined, printError: () => undefined, interrupted: () => interruption.signal },
      showStatus: (text) => text.startsWith('Copied') && interruption.abort(),
    });
    expect(exitCode).toBe(3);
    const partial = await inEventStoreDb();
    const all = await inPostgres();
    expect(partial.length).toBeGreaterThan(0);
    expect(partial).toEqual(all.slice(0, partial.length));
    expect(partial.length).toBeLessThan(all.length);
    const half = await runCommand(['verify'], { ...environment, EVENT_STORE: 'eventstoredb' });
    expect(half).toMatchObject({ exitCode: 3, err: expect.stringContaining('stored in postgres') as string });

    const { exitCode: resumed, out, err } = await copy('postgres', 'eventstoredb');
    expect({ resumed, err: err.replace(/^(Compared|Copied) .*\n/gm, '') }).toEqual({ resumed: 0, err: '' });
    expect(out).toContain(`Copied ${all.length} events from postgres to eventstoredb and verified them.`);
    expect(await inEventStoreDb()).toEqual(all);
    const copied = await positions();
    expect(copied.deliveries).toEqual(original.deliveries);
    expect(withoutPositions(copied.webhooks)).toEqual(withoutPositions(original.webhooks));
    expect(copied.webhooks).not.toEqual(original.webhooks);
    await expectClean('eventstoredb');
  });

  it('refuses the old store afterwards, also a process that still writes to it', async () => {
    const verified = await runCommand(['verify'], { ...environment, EVENT_STORE: 'postgres' });
    expect(verified).toMatchObject({ exitCode: 3, err: expect.stringContaining('stored in eventstoredb') as string });
    const append = using(new PostgresEventStore(database.connection, { archiveDirectory }), (store) => fill(store, 1));
    await expect(append).rejects.toThrow('The log of this database was moved to another event store');
    await expect(append).rejects.toMatchObject({ name: 'EventStoreMismatch' });
    expect(await copy('postgres', 'eventstoredb')).toMatchObject({
      exitCode: 0,
      out: expect.stringContaining('is in eventstoredb already') as string,
    });
  });

  it('continues every subscription, so nothing is projected or sent twice', async () => {
    await using(await openEventStoreDb(server.server.url), async (store) => {
      const { runner } = commandLog(store);
      const deposit = {
        depositId: 'd',
        reference: 'd',
        amount: '5.00',
        fee: '0.00',
        description: '',
        fingerprint: 'f',
      };
      const accountId = /"stream":"account-([^"]+)"/.exec(recorded)![1]!;
      await runner(accountAggregate, () => accountId)({ type: 'DepositFunds', data: { accountId, ...deposit } });
      await project(store);
      await sign(store, 'eventstoredb');
    });
    expect((await positions()).deliveries).toEqual(original.deliveries);
    await expectClean('eventstoredb');
  });

  it('copies back, with the events since then, and marks the server as moved', async () => {
    const all = await inEventStoreDb();
    const { exitCode, out } = await copy('eventstoredb', 'postgres', '--json');
    expect(exitCode).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ from: 'eventstoredb', to: 'postgres', events: all.length });
    expect(await inPostgres()).toEqual(all);
    const { deliveries, webhooks, sentUpTo } = await positions();
    expect({ deliveries, webhooks, sentUpTo }).toEqual({ deliveries, webhooks: original.webhooks, sentUpTo });
    expect(deliveries).toEqual(original.deliveries);
    await expectClean('postgres');
    const old = await runCommand(['verify'], { ...environment, EVENT_STORE: 'eventstoredb' });
    expect(old).toMatchObject({ exitCode: 3, err: expect.stringContaining('stored in postgres') as string });
    const other = await createTestDatabase();
    try {
      const env = { ...environment, DATABASE_URL: databaseUrl(other.connection), EVENT_STORE: 'eventstoredb' };
      expect(await runCommand(['verify'], env)).toMatchObject({
        exitCode: 3,
        err: expect.stringContaining('was moved to postgres by `florin log copy`') as string,
      });
    } finally {
      await other.drop();
    }
    await using(new PostgresEventStore(database.connection, { archiveDirectory }), async (store) => {
      await project(store);
      await sign(store, 'postgres');
    });
    await expectClean('postgres');
    expect(await copy('postgres', 'eventstoredb')).toMatchObject({
      exitCode: 3,
      err: expect.stringContaining('has events that are not a copy of this log') as string,
    });
  });
});
