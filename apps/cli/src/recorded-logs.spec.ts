import { PostgresCheckpointStore } from '@florin/checkpoint-store-postgres';
import { createPool } from '@florin/database';
import { createTestDatabase, type TestDatabase } from '@florin/database/testing';
import { catchUp, Progress, type RecordedEvent } from '@florin/event-sourcing';
import { silentLog } from '@florin/event-sourcing/testing';
import { PostgresEventStore } from '@florin/event-store-postgres';
import { KeyRing } from '@florin/kernel';
import { comparedProjections, webhooksProjection } from '@florin/read-models';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Pool } from 'pg';
import type { AuditReport } from './audit/audit-report';
import { runCommand } from './testing/run-command';

jest.setTimeout(60_000);

const root = resolve(__dirname, '../../..');
const folder = join(root, 'tools/recorded-logs');
const releases = readdirSync(folder).flatMap((file) => /^(.+)\.jsonl$/.exec(file)?.[1] ?? []);

/** Positions are numbers there. */
type RecordedLine = Omit<RecordedEvent, 'position'> & { readonly position: number };

function linesOf(release: string): readonly RecordedLine[] {
  const text = readFileSync(join(folder, `${release}.jsonl`), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as RecordedLine);
}

const schemaVersionOf = ({ metadata }: RecordedLine): number =>
  (JSON.parse(metadata) as { readonly schemaVersion: number }).schemaVersion;

describe.each(releases)('The log that release %s has written', (release) => {
  let database: TestDatabase;
  let pool: Pool;
  let store: PostgresEventStore;
  let environment: { readonly DATABASE_URL: string };

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = createPool(database.connection);
    store = new PostgresEventStore(database.connection);
    const { host, user, database: name } = database.connection;
    environment = { DATABASE_URL: `postgres://${user}@localhost/${name}?host=${encodeURIComponent(String(host))}` };
    await insert(linesOf(release));
  });

  afterAll(async () => {
    await Promise.all([pool.end(), store.close()]);
    await database.drop();
  });

  async function insert(lines: readonly RecordedLine[]): Promise<void> {
    const text = `
      INSERT INTO event_store.events (position, stream, revision, id, type, data, metadata)
      SELECT position, stream, revision, id, type, data, metadata FROM json_to_recordset($1)
        AS line (position bigint, stream text, revision int, id uuid, type text, data text, metadata text)`;
    await pool.query(text, [JSON.stringify(lines)]);
  }

  async function project(): Promise<void> {
    const checkpoints = new PostgresCheckpointStore(database.connection);
    const runtime = { store, checkpoints, progress: new Progress(), log: silentLog, isTransient: () => false };
    const head = await store.head();
    for (const projection of [...comparedProjections, webhooksProjection(new KeyRing([]))]) {
      await catchUp(projection, runtime, head);
    }
    await checkpoints.close();
  }

  it('is verified, projected and audited without a finding', async () => {
    expect(await runCommand(['verify'], environment)).toMatchObject({ exitCode: 0 });
    await project();
    const { out } = await runCommand(['audit', '--json'], environment);
    const { events, flaws, readModels } = JSON.parse(out) as AuditReport;
    expect({ events, flaws }).toEqual({ events: linesOf(release).length, flaws: [] });
    expect(new Set(readModels.map(({ state }) => state))).toEqual(new Set(['agrees']));
    const { rows } = await pool.query<{ count: number }>('SELECT count(*)::int AS count FROM webhooks.compact_events');
    expect(rows[0]!.count).toBeGreaterThan(10);
  });

  it('is explained, with a sentence for every event', async () => {
    const accounts = new Set(linesOf(release).flatMap(({ stream }) => /^account-(.+)$/.exec(stream)?.[1] ?? []));
    expect(accounts.size).toBeGreaterThan(0);
    for (const account of accounts) {
      const { exitCode, err } = await runCommand(['explain', 'balance', account, '--all'], environment);
      expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' });
    }
  });
});

describe('The recorded logs', () => {
  /** Each needs a live environment, two operators or a crash. */
  const notRecorded = [
    ...['AddressesWatched', 'AmountsFreed', 'BlocksRead', 'ChainStarted', 'DepositResolved', 'DepositUnmatched'],
    ...['CardActivated', 'CardBlocked', 'CardExpired', 'CardUnblocked', 'UnloadReleased', 'PaymentLeftOver'],
    ...['DecisionConfirmed', 'DecisionRepeated', 'ProposalWithdrawn', 'LateAnswerNoted', 'StrayHoldFound'],
    ...['InvoiceFailed', 'InvoiceRecalled', 'InvoiceResolved', 'InvoiceSentToReview', 'ResendRequested'],
    ...['OperatorDisabled', 'OperatorRoleChanged', 'OperatorTokenRotated'],
  ];

  it('have the other event types in their current version', () => {
    const shapes = readFileSync(join(root, 'tools/event-shapes/event-shapes.json'), 'utf8');
    const versions = Object.entries(JSON.parse(shapes) as Record<string, object>).map(
      ([type, byVersion]) => `${type} ${Math.max(...Object.keys(byVersion).map(Number))}`,
    );
    const recorded = new Set(releases.flatMap(linesOf).map((line) => `${line.type} ${schemaVersionOf(line)}`));
    const missing = versions.filter((version) => !recorded.has(version));
    // Otherwise: npm run record:log -- tools/recorded-logs/unreleased.jsonl
    expect(missing.map((version) => version.split(' ')[0]).sort()).toEqual([...notRecorded].sort());
  });

  it('have old versions of events', () => {
    const first = linesOf('0.1.0').map((line) => `${line.type} ${schemaVersionOf(line)}`);
    const current = linesOf('unreleased').map((line) => `${line.type} ${schemaVersionOf(line)}`);
    const outdated = [...new Set(first)].filter((version) => !current.includes(version));
    expect(outdated).toEqual(expect.arrayContaining(['CardIssued 1', 'PaymentRecorded 1', 'HolderRegistered 1']));
  });
});
