import { PostgresCheckpointStore } from '@florin/checkpoint-store-postgres';
import { createPool } from '@florin/database';
import { createTestDatabase } from '@florin/database/testing';
import {
  catchUp,
  type CommandReply,
  metadataOf,
  Progress,
  type RecordedEvent,
  sealEvent,
  UnreadableEvent,
} from '@florin/event-sourcing';
import { commandLog, silentLog } from '@florin/event-sourcing/testing';
import { PostgresEventStore } from '@florin/event-store-postgres';
import { KeyRing, randomId } from '@florin/kernel';
import { accountAggregate } from '@florin/ledger-domain';
import { comparedProjections, webhooksProjection } from '@florin/read-models/tools';
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

interface OpenedLog {
  readonly pool: Pool;
  readonly store: PostgresEventStore;
  readonly environment: { readonly DATABASE_URL: string };
  project(): Promise<void>;
  close(): Promise<void>;
}

/** A database with the log that a release has written. */
async function openLog(release: string): Promise<OpenedLog> {
  const database = await createTestDatabase();
  const pool = createPool(database.connection);
  const store = new PostgresEventStore(database.connection);
  const { host, user, database: name } = database.connection;
  const text = `
    INSERT INTO event_store.events (position, stream, revision, id, type, data, metadata)
    SELECT position, stream, revision, id, type, data, metadata FROM json_to_recordset($1)
      AS line (position bigint, stream text, revision int, id uuid, type text, data text, metadata text)`;
  await pool.query(text, [JSON.stringify(linesOf(release))]);
  return {
    pool,
    store,
    environment: { DATABASE_URL: `postgres://${user}@localhost/${name}?host=${encodeURIComponent(String(host))}` },
    project: async () => {
      const checkpoints = new PostgresCheckpointStore(database.connection);
      const runtime = { store, checkpoints, progress: new Progress(), log: silentLog, isTransient: () => false };
      const head = await store.head();
      const projections = [...comparedProjections, webhooksProjection(new KeyRing([]))];
      await Promise.all(projections.map((projection) => catchUp(projection, runtime, head)));
      await checkpoints.close();
    },
    close: async () => {
      await Promise.all([pool.end(), store.close()]);
      await database.drop();
    },
  };
}

describe.each(releases)('The log that release %s has written', (release) => {
  let log: OpenedLog;

  beforeAll(async () => {
    log = await openLog(release);
  });
  afterAll(() => log.close());

  it('is verified, projected and audited without a finding', async () => {
    expect(await runCommand(['verify'], log.environment)).toMatchObject({ exitCode: 0 });
    await log.project();
    const { out } = await runCommand(['audit', '--json'], log.environment);
    const { events, flaws, readModels } = JSON.parse(out) as AuditReport;
    expect({ events, flaws }).toEqual({ events: linesOf(release).length, flaws: [] });
    expect(new Set(readModels.map(({ state }) => state))).toEqual(new Set(['agrees']));
    const { rows } = await log.pool.query<{ count: number }>(
      'SELECT count(*)::int AS count FROM webhooks.compact_events',
    );
    expect(rows[0]!.count).toBeGreaterThan(10);
  });

  it('is explained, with a sentence for every event', async () => {
    const accounts = new Set(linesOf(release).flatMap(({ stream }) => /^account-(.+)$/.exec(stream)?.[1] ?? []));
    expect(accounts.size).toBeGreaterThan(0);
    for (const account of accounts) {
      const { exitCode, err } = await runCommand(['explain', 'balance', account, '--all'], log.environment);
      expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' });
    }
  });
});

describe('The log of a newer release', () => {
  const other = `${randomId()}-sandbox`;
  const lines = linesOf('unreleased');
  const accountId = lines.flatMap(({ stream }) => /^account-(.+)$/.exec(stream)?.[1] ?? [])[0]!;
  let log: OpenedLog;

  beforeAll(async () => {
    log = await openLog('unreleased');
    await append(`account-${accountId}`, 'FundsFrozen', 1);
    await append(lines.find(({ type }) => type === 'CardIssued')!.stream, 'CardFrozen', 99);
    // This release could read the event, but not the one before it.
    await append(
      `account-${accountId}`,
      'FundsDeposited',
      1,
      lines.find(({ type }) => type === 'FundsDeposited')!.data,
    );
  });
  afterAll(() => log.close());

  async function append(stream: string, type: string, schemaVersion: number, data = '{}'): Promise<void> {
    let last: RecordedEvent | undefined;
    for await (const page of log.store.readStream(stream)) last = page.at(-1);
    const revision = last!.revision + 1;
    const metadata = { schemaVersion, recordedAt: '2030-01-01T00:00:00.000Z', correlationId: 'c', causationId: 'c' };
    const event = { stream, revision, id: randomId(), type, data, metadata };
    await log.store.append(stream, revision - 1, [sealEvent(event, metadataOf(last!).hash).sealed]);
  }

  function deposit(to: string): Promise<CommandReply> {
    const accounts = commandLog(log.store).runner(accountAggregate, ({ data }) => data.accountId);
    const data = {
      accountId: to,
      depositId: randomId(),
      reference: 'r',
      amount: '10.00',
      fee: '0.00',
      description: '',
    };
    return accounts({ type: 'DepositFunds', data: { ...data, fingerprint: 'f' } });
  }

  it('is continued for other objects, and never with half of the history', async () => {
    expect(await deposit(other)).toMatchObject({ ok: true });
    await expect(deposit(accountId)).rejects.toThrow(UnreadableEvent);
  });

  it('is projected for all other streams, and shows what was set aside', async () => {
    await log.project();
    const entries = 'SELECT FROM read_models.account_entries WHERE company_id = $1';
    expect((await log.pool.query(entries, [other.replace('-sandbox', '')])).rowCount).toBe(1);
    const { rows } = await log.pool.query<{ subscription: string; stream: string; type: string; version: number }>(
      'SELECT subscription, stream, type, schema_version AS version FROM event_store.set_aside_streams ORDER BY 1, 2',
    );
    const ofAccount = { stream: `account-${accountId}`, type: 'FundsFrozen', version: 1 };
    const ofCard = { stream: expect.stringMatching(/^card-/) as string, type: 'CardFrozen', version: 99 };
    expect(rows).toEqual([
      { subscription: 'accepted-requests', ...ofCard },
      { subscription: 'account-entries', ...ofAccount },
      { subscription: 'adjustments', ...ofAccount },
      { subscription: 'cards', ...ofCard },
      { subscription: 'operations', ...ofAccount },
      { subscription: 'webhooks', ...ofCard },
    ]);
  });

  it('is verified, because that needs only its bytes', async () => {
    expect(await runCommand(['verify'], log.environment)).toMatchObject({ exitCode: 0 });
  });

  it('is audited for other companies, and otherwise the events are findings that say what to do', async () => {
    expect(await runCommand(['audit', '--account', other], log.environment)).toMatchObject({ exitCode: 0 });
    const { exitCode, out } = await runCommand(['audit'], log.environment);
    expect(exitCode).toBe(1);
    const remedy = 'is unknown to this release; use the release that wrote it, or a newer one';
    for (const event of ['FundsFrozen version 1', 'CardFrozen version 99']) {
      expect(out).toMatch(new RegExp(`Event ${event} at \\S+ ${remedy}`));
    }
  });

  it('cannot replace read models, with one line that says what to do', async () => {
    const { exitCode, err } = await runCommand(['replay', 'account-entries'], log.environment);
    expect(exitCode).toBe(3);
    expect(err).toMatch(
      /^.*Event FundsFrozen version 1 at account-\S+ is unknown to this release; use the release that wrote it/m,
    );
    expect(err).not.toMatch(/^ +at /m);
  });

  it('is explained, with the events that are unknown', async () => {
    const { exitCode, out } = await runCommand(['explain', 'balance', accountId, '--all'], log.environment);
    expect(exitCode).toBe(0);
    expect(out).toContain('FundsFrozen');
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
