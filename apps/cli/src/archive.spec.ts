import { PostgresCheckpointStore, PostgresLogCheckpoints } from '@florin/checkpoint-store-postgres';
import { LogPublicKeys, LogSigningKey, Progress, runLogSigner } from '@florin/event-sourcing';
import { commandLog, silentLog } from '@florin/event-sourcing/testing';
import { PostgresEventStore } from '@florin/event-store-postgres';
import { systemClock } from '@florin/kernel';
import { until } from '@florin/kernel/testing';
import { operationAggregate, quoteAggregate, transactionAggregate } from '@florin/operations-domain';
import { chainAggregate, firstBlockOf, lastBlockOf } from '@florin/tron-domain';
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { archivedCategories } from './event-log/closed-streams';
import { runCommand } from './testing/run-command';
import { accountId, companyId, idOf, type StoredLedger, storedLedger } from './testing/stored-ledger';

jest.setTimeout(60_000);

const key = LogSigningKey.generate();
const startsAt = '2020-01-01T00:00:00.000Z';

describe('florin archive', () => {
  let folder: string;
  let directory: string;
  let ledger: StoredLedger;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'florin-archive-cli-'));
    directory = join(folder, 'archive');
    ledger = await storedLedger({ startsAt, archiveDirectory: directory });
    await ledger.queue(await ledger.reserve(4));
    await ledger.project();
  });
  afterAll(async () => {
    await ledger.close();
    rmSync(folder, { recursive: true });
  });

  const run = (...args: readonly string[]) =>
    runCommand(args, { ...ledger.environment, ARCHIVE_DIR: directory, LOG_SIGNING_KEY: key.pem });
  const archive = (...args: readonly string[]) => run('archive', '--older-than', '400d', ...args);

  const archiveAs = (role: string, olderThan: string, ...args: readonly string[]) => {
    const DATABASE_URL = ledger.environment.DATABASE_URL.replace(/\/\/[^@]*@/, `//florin_${role}@`);
    const environment = { DATABASE_URL, ARCHIVE_DIR: directory, LOG_SIGNING_KEY: key.pem };
    return runCommand(['archive', '--older-than', olderThan, ...args], environment);
  };

  /** Signs the log with the production signer. */
  async function signLog(): Promise<void> {
    const checkpoints = new PostgresCheckpointStore(ledger.connection);
    const checkpointLog = new PostgresLogCheckpoints(ledger.pool);
    const { store } = ledger;
    const signer = runLogSigner({
      ...{ store, checkpoints, checkpointLog, key, earlierKeys: new LogPublicKeys([]), storeName: 'postgres' },
      ...{ clock: systemClock, log: silentLog, progress: new Progress(), isTransient: () => false, maxAgeMs: 50 },
    });
    const head = await store.head();
    await until(async () => (await checkpointLog.newest())?.position === head);
    await signer.stop();
    await checkpoints.close();
  }

  async function liveEvents(stream = '%'): Promise<number> {
    const sql = 'SELECT count(*)::integer AS count FROM event_store.events WHERE stream LIKE $1';
    return (await ledger.pool.query<{ count: number }>(sql, [stream])).rows[0]!.count;
  }

  /** What every command that reads the log returns. */
  async function results(name: string): Promise<unknown> {
    const output = async (...args: readonly string[]) => {
      const { exitCode, out, err } = await run(...args);
      expect({ args, exitCode, err }).toMatchObject({ args, exitCode: 0 });
      return args.includes('--json') ? (JSON.parse(out) as Record<string, unknown>) : out;
    };
    const exported = join(folder, name);
    const { archive: _, ...verified } = (await output('verify', '--checkpoints', 'stored', '--json')) as Record<
      string,
      unknown
    >;
    return {
      verified,
      audited: await output('audit', '--checkpoints', 'stored', '--json'),
      operation: await output('explain', 'operation', idOf(1), '--json'),
      failed: await output('explain', 'operation', idOf(2)),
      balance: await output('explain', 'balance', accountId, '--all', '--as-of', '12'),
      exported: await output('audit', '--as-of', '14', '--out', exported).then(() =>
        readdirSync(exported).map((file) => [file, readFileSync(join(exported, file), 'utf8')]),
      ),
    };
  }

  it('needs its own role, and counts only in a dry run', async () => {
    expect(await archiveAs('auditor', '0d')).toMatchObject({
      exitCode: 3,
      err: expect.stringContaining('permission denied') as string,
    });
    expect((await archiveAs('archiver', '0d', '--dry-run')).out).toMatch(
      /^Would archive 8 events of 2 streams, .* Nothing was changed\./,
    );
    expect(await liveEvents()).toBe(17);
  });

  it('moves ended operations, and verify, audit, explain, export and replay return the same as before', async () => {
    await signLog();
    const before = await results('before');
    const result = join(folder, 'audit.result');
    expect(await run('audit', '--result', result)).toMatchObject({ exitCode: 0 });
    const since = join(folder, 'result.json');
    expect(await run('verify', '--checkpoints', 'stored', '--result', since)).toMatchObject({ exitCode: 0 });
    const rows = async () =>
      (await ledger.pool.query('SELECT * FROM read_models.operations ORDER BY id')).rows as unknown[];
    const operations = await rows();
    const { exitCode, out, err } = await archiveAs('archiver', '400d');
    expect({ exitCode, err }).toEqual({
      exitCode: 0,
      err: expect.stringMatching(/finished: 8 events of 2 streams/) as string,
    });
    expect(out).toMatch(/^Archived 8 events of 2 streams in 1 files, .* MB, in .*archive\.\n/);
    expect(await liveEvents()).toBe(9);
    expect(await results('after')).toEqual(before);
    expect(await run('audit', '--since', result)).toMatchObject({ exitCode: 0 });
    expect(await run('verify', '--checkpoints', 'stored', '--since', since)).toMatchObject({ exitCode: 0 });
    await ledger.pool.query('DELETE FROM read_models.operations');
    expect(await run('replay')).toMatchObject({ exitCode: 0 });
    expect(await rows()).toEqual(operations);
    expect(await run('replay', '--drop-old')).toMatchObject({ exitCode: 0 });
    expect((await run('verify')).out).toContain('Verified 17 events in 5 streams, 8 of them in 1 archive files.');
    expect((await archive()).out).toContain('Archived 0 events of 0 streams');
  });

  it('leaves every command on an archived operation as it was', async () => {
    await archive();
    const fresh = new PostgresEventStore(ledger.connection, { archiveDirectory: directory });
    const { runner, clock } = commandLog(fresh, '2030-01-01T00:00:00.000Z');
    clock.advance(1_000);
    const operation = runner(operationAggregate, ({ data }) => data.operationId);
    const [queued] = await ledger.store
      .readAll({ after: 0n })
      .then(({ events }) =>
        events.filter(({ stream, revision }) => stream === `operation-${idOf(1)}` && revision === 0),
      );
    const { order } = JSON.parse(queued!.data) as { order: never };
    const operationId = idOf(1);
    const call = { callId: 'second', deadline: '2030-01-01T11:00:00.000Z' };
    expect(await operation({ type: 'QueueOperation', data: { operationId, order } })).toMatchObject({
      ok: true,
      repeated: true,
    });
    expect(await operation({ type: 'StartIssuerCall', data: { operationId, ...call } })).not.toMatchObject({
      repeated: false,
    });
    expect(await operation({ type: 'CompleteOperation', data: { operationId } })).toMatchObject({
      ok: true,
      repeated: true,
    });
    expect(await operation({ type: 'CompleteOperation', data: { operationId: idOf(2) } })).toMatchObject({ ok: false });
    expect(await liveEvents('operation-%1')).toBe(0);
    const answer = { outcome: 'declined', code: 'late', message: 'Late' } as const;
    const late = { noteId: 'note', companyId, amount: '100.00', response: answer, notedAt: startsAt };
    const noted = await operation({ type: 'NoteLateResponse', data: { operationId, ...late } });
    expect(noted).toMatchObject({ ok: true });
    expect((await run('verify')).exitCode).toBe(0);
    const whole: string[] = [];
    for await (const page of fresh.readStream(`operation-${operationId}`)) whole.push(...page.map(({ type }) => type));
    expect(whole).toEqual([
      'OperationQueued',
      'IssuerCallStarted',
      'IssuerAccepted',
      'OperationCompleted',
      'LateAnswerNoted',
    ]);
    await fresh.close();
  });

  it('does not let a service with a cached state, from before the archive, write an archived revision again', async () => {
    const other = new PostgresEventStore(ledger.connection, { archiveDirectory: directory });
    const { runner } = commandLog(other, '2030-01-01T00:00:00.000Z');
    const operation = runner(operationAggregate, ({ data }) => data.operationId);
    const operationId = idOf(3);
    // The other service caches the operation while it is queued; this one completes it.
    expect(await operation({ type: 'CompleteOperation', data: { operationId } })).toMatchObject({ ok: false });
    const call = { callId: 'call', deadline: '2030-01-01T11:00:00.000Z' };
    await ledger.operation({ type: 'StartIssuerCall', data: { operationId, ...call } });
    const response = { outcome: 'accepted' } as const;
    await ledger.operation({
      type: 'RecordIssuerResponse',
      data: { operationId, callId: 'call', respondedAt: startsAt, response },
    });
    await ledger.account({ type: 'CaptureReservation', data: { accountId, reservationId: operationId } });
    await ledger.operation({ type: 'CompleteOperation', data: { operationId } });
    await ledger.reserve(5);
    await ledger.project();
    await signLog();
    await archive();
    expect(await liveEvents(`operation-${operationId}`)).toBe(0);
    const again = await operation({ type: 'StartIssuerCall', data: { operationId, ...call, callId: 'twice' } });
    expect(again).not.toMatchObject({ ok: true, repeated: false });
    expect(await liveEvents(`operation-${operationId}`)).toBe(0);
    await other.close();
  });

  it('names a missing file: verify reports it as a finding, other commands cannot run', async () => {
    await archive();
    const [name] = readdirSync(directory).sort();
    renameSync(join(directory, name!), join(folder, name!));
    const expected = `Archive file ${name} with 8 events`;
    expect(await run('verify')).toMatchObject({ exitCode: 1, err: expect.stringContaining(expected) as string });
    expect(await run('audit')).toMatchObject({ exitCode: 3, err: expect.stringContaining(expected) as string });
    expect(await run('replay')).toMatchObject({ exitCode: 3, err: expect.stringContaining(expected) as string });
    expect(await archive()).toMatchObject({ exitCode: 3, err: expect.stringContaining(expected) as string });
  });

  it('requires a number of days, and the log in Postgres', async () => {
    expect(await run('archive', '--older-than', 'long')).toMatchObject({
      exitCode: 2,
      err: expect.stringContaining('400d') as string,
    });
    expect(await run('archive')).toMatchObject({ exitCode: 2 });
    const eventStoreDb = { EVENT_STORE: 'eventstoredb', EVENTSTORE_URL: 'esdb://127.0.0.1:1?tls=false' };
    expect(
      await runCommand(['archive', '--older-than', '0d'], { ...ledger.environment, ...eventStoreDb }),
    ).toMatchObject({
      exitCode: 3,
      err: expect.stringContaining('use the archiving of the server itself') as string,
    });
  });
});

describe('The closed streams', () => {
  const ruleOf = (category: string) => archivedCategories.find((rule) => rule.category === category)!;

  it('are ended operations, claimed transactions, quotes and complete segments of the chain', async () => {
    const log = commandLog();
    const quote = log.runner(quoteAggregate, ({ data }) => data.quoteId);
    await quote({ type: 'KeepQuote', data: { quoteId: 'q', fingerprint: 'f', quote: {} as never } });
    const transaction = log.runner(transactionAggregate, ({ data }) => data.transactionId);
    const payment = {
      transactionId: 't',
      cardId: 'c',
      accountId: 'a',
      payment: {} as never,
      fingerprint: 'f',
      reportedAt: startsAt,
    };
    await transaction({ type: 'ClaimTransaction', data: payment });
    const events = await log.events();
    expect(events.map(({ type }) => type)).toEqual(['QuoteKept', 'TransactionClaimed']);
    for (const event of events) {
      const rule = ruleOf(event.stream.split('-')[0]!);
      expect(rule.closingEvents).toContain(event.type);
      expect(rule.isClosed(event.stream, [event])).toBe(true);
      expect(rule.isClosed(event.stream, [{ ...event, type: 'FromANewerRelease' }])).toBe(false);
    }
  });

  it('include a segment of the chain only with its last block', async () => {
    const log = commandLog();
    const chain = log.runner(chainAggregate, () => '7');
    const record = (fromBlock: number, toBlock: number) =>
      chain({
        type: 'RecordBlocks',
        data: {
          ...{ fromBlock, toBlock, parentId: `id ${fromBlock - 1}`, toBlockId: `id ${toBlock}`, toBlockTime: startsAt },
          ...{ transfers: [], startBlock: 1, addresses: [] },
        },
      });
    const isClosed = async () => ruleOf('chain').isClosed('chain-7', await log.events());
    await record(firstBlockOf(7), lastBlockOf(7) - 1);
    expect(await isClosed()).toBe(false);
    await record(lastBlockOf(7), lastBlockOf(7));
    expect(await isClosed()).toBe(true);
  });
});
