import { type EventToAppend, LogSigningKey, sealEvent } from '@florin/event-sourcing';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCli } from '../run-cli';
import { runCommand } from '../testing/run-command';
import { storeAsTexts } from '../testing/store-as-texts';
import { accountId, idOf, type StoredLedger, storedLedger } from '../testing/stored-ledger';
import type { ResultFacts } from './signed-result';

jest.setTimeout(60_000);

let ledger: StoredLedger;
let folder: string;
const key = LogSigningKey.generate();

beforeAll(async () => {
  ledger = await storedLedger();
});
afterAll(() => ledger.close());

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'florin-results-'));
  writeFileSync(pathOf('key.pem'), key.pem);
});
afterEach(() => rmSync(folder, { recursive: true }));

const pathOf = (name: string): string => join(folder, name);
const factsOf = (name: string): ResultFacts =>
  JSON.parse(readFileSync(pathOf(name), 'utf8').split('\n')[0]!) as ResultFacts;
const keyOptions = (): readonly string[] => ['--signing-key', pathOf('key.pem')];

interface Report {
  readonly flaws?: readonly object[];
  readonly events: number;
  readonly streams: number;
  readonly since: string | null;
  readonly environments?: unknown;
  readonly evidence: { readonly notProven: readonly string[] };
}

async function report(command: string, ...args: readonly string[]): Promise<Report> {
  const { exitCode, out, err } = await runCommand([command, '--json', '--quiet', ...args], ledger.environment);
  if (exitCode > 1) throw new Error(err);
  return JSON.parse(out === '' ? JSON.stringify((JSON.parse(err) as { error: object }).error) : out) as Report;
}

const errorOf = async (...args: readonly string[]): Promise<string> => {
  const { exitCode, out, err } = await runCommand([...args, '--quiet'], ledger.environment);
  expect({ exitCode, out }).toEqual({ exitCode: 3, out: '' });
  expect(err.trim().split('\n')).toHaveLength(1);
  return err;
};

let operations = 3;

/** Three events: a deposit, and an operation that is reserved and queued. Returns the ID of the operation. */
async function continueLog(command = 'audit'): Promise<string> {
  const operationId = idOf((operations += 1));
  const deposit = { depositId: operationId, reference: 'd', amount: '100.00', fee: '0.00', fingerprint: 'f' };
  await ledger.account({ type: 'DepositFunds', data: { accountId, ...deposit, description: '' } });
  await ledger.queue(await ledger.reserve(operations));
  if (command === 'audit') await ledger.project();
  return operationId;
}

const headOf = async (): Promise<number> => Number(await ledger.store.head());

/** A page of the log has 5,000 events. */
async function appendQuotes(count: number): Promise<void> {
  const stream = `quote-${randomUUID()}`;
  const metadata = {
    ...{ schemaVersion: 1, recordedAt: '2030-01-01T00:00:00.000Z', correlationId: 'c', causationId: 'c' },
  };
  const events: EventToAppend[] = [];
  let hash = '';
  for (let revision = 0; revision < count; revision++) {
    const event = { stream, revision, id: randomUUID(), type: 'QuoteCreated', data: '{}', metadata };
    const { sealed, hash: next } = sealEvent(event, hash);
    events.push(sealed);
    hash = next;
  }
  await ledger.store.append(stream, -1, events);
}

async function interruptedAfterFirstPage(args: readonly string[]): Promise<{ exitCode: number; err: string }> {
  const interruption = new AbortController();
  let err = '';
  const exitCode = await runCli(args, {
    environment: { FLORIN_DATA_DIR: pathOf('no-such-folder'), ...ledger.environment },
    print: () => undefined,
    printError: (text) => (err += text),
    showStatus: () => interruption.abort(),
    interrupted: () => interruption.signal,
  });
  return { exitCode, err };
}

/** Changes one event as an administrator of the database could, or removes it, and restores it after the work. */
async function tampered(position: number, change: string, work: () => Promise<void>): Promise<void> {
  const { pool } = ledger;
  await storeAsTexts(pool, ledger.store);
  const columns = 'position, stream, revision, id, type, data, metadata';
  const event = `SELECT ${columns} FROM event_store.events WHERE position = ${position}`;
  await pool.query(`CREATE TABLE kept AS ${event}`);
  await pool.query(`${change} WHERE position = ${position}`);
  try {
    await work();
  } finally {
    await pool.query(`DELETE FROM event_store.events WHERE position = ${position}`);
    await pool.query(`INSERT INTO event_store.events (${columns}) SELECT ${columns} FROM kept`);
    await pool.query('DROP TABLE kept');
  }
}

const setData = (expression: string): string => `UPDATE event_store.events SET data = ${expression}`;

describe.each(['verify', 'audit'] as const)('A signed result of florin %s', (command) => {
  const first = () => report(command, '--result', pathOf('a'), ...keyOptions());
  const next = (...args: readonly string[]) => report(command, '--since', pathOf('a'), ...keyOptions(), ...args);

  it('is continued, with the totals of a whole run', async () => {
    await first();
    const head = await headOf();
    const position = String(head);
    expect(factsOf('a')).toMatchObject({
      command,
      position,
      events: head,
      since: null,
      isComplete: true,
      findings: [],
    });
    expect(statSync(pathOf('a')).mode & 0o777).toBe(0o600);
    await continueLog(command);
    const { evidence, ...continued } = await next('--result', pathOf('b'));
    expect(evidence.notProven[0]).toMatch(
      /^Events up to position \d+ were not read again: .* a run without --since\.$/,
    );
    expect(factsOf('b')).toMatchObject({ events: head + 3, since: position, isComplete: true });
    const { evidence: _, ...whole } = await report(command, '--result', pathOf('c'), ...keyOptions());
    expect(continued).toEqual({ ...whole, since: position });
    expect(factsOf('c')).toMatchObject({ hash: factsOf('b').hash, since: null });
    // Without new events, and into the same file.
    await report(command, '--since', pathOf('b'), '--result', pathOf('b'), ...keyOptions());
    expect(factsOf('b')).toMatchObject({ events: head + 3, since: String(head + 3), hash: factsOf('c').hash });
  });

  it('is not read again, but its findings are carried over', async () => {
    await tampered(1, setData(`replace(data, '"1000.00"', '"2000.00"')`), async () => void (await first()));
    const { findings } = factsOf('a');
    expect(findings.length).toBeGreaterThan(0);
    await next('--result', pathOf('b'));
    expect(factsOf('b').findings).toEqual(findings);
  });

  it('finds tampering after it', async () => {
    await first();
    await continueLog(command);
    await tampered((await headOf()) - 1, setData(`'{}'`), async () => {
      await next('--result', pathOf('b'));
      await report(command, '--result', pathOf('c'), ...keyOptions());
    });
    const inLog = (name: string) => factsOf(name).findings.filter(({ at }) => !at.startsWith('read_models.'));
    expect(inLog('b').length).toBeGreaterThan(0);
    expect(inLog('b')).toEqual(inLog('c'));
  });

  it.each([
    ['was removed', 'DELETE FROM event_store.events', /the log ends at position \d+, but the signed result has events/],
    ['was changed', setData(`data || ' '`), /position \d+: the event is not the one of the signed result/],
  ])('proves that its newest event %s', async (_, change, text) => {
    await first();
    await tampered(await headOf(), change, async () => {
      const since = [command, '--since', pathOf('a'), ...keyOptions()];
      const { exitCode, err } = await runCommand(since, ledger.environment);
      expect(exitCode).toBe(1);
      expect(err).toMatch(text);
    });
  });

  it('is refused if it is not what it was, or of others', async () => {
    await first();
    const since = [command, '--since', pathOf('a')];
    expect(await errorOf(...since)).toMatch(/is signed with the unknown key .* pass its public key/);
    const bytes = readFileSync(pathOf('a'));
    const other = LogSigningKey.generate().publicKey.text;
    expect(await errorOf(...since, '--public-key', other)).toMatch(/is signed with the unknown key/);
    const trusted = ['--public-key', key.publicKey.text];
    for (const place of [20, bytes.length - 9]) {
      const changed = Buffer.from(bytes);
      changed[place]! ^= 1;
      writeFileSync(pathOf('a'), changed);
      expect(await errorOf(...since, ...trusted)).toMatch(/was changed after it was signed|is not a signed result/);
    }
    writeFileSync(pathOf('a'), bytes);
    expect(await runCommand([...since, ...trusted], ledger.environment)).toMatchObject({ exitCode: 0 });
    const otherCommand = command === 'verify' ? 'audit' : 'verify';
    expect(await errorOf(otherCommand, '--since', pathOf('a'), ...trusted)).toMatch(/is a result of florin/);
    await ledger.pool.query(`INSERT INTO event_store.store_identity (kind, id) VALUES ('postgres', gen_random_uuid())`);
    expect(await errorOf(...since, ...trusted)).toMatch(/is about another event store/);
    await ledger.pool.query('DELETE FROM event_store.store_identity');
  });

  it('needs a key, and an existing result', async () => {
    expect(await errorOf(command, '--result', pathOf('a'))).toMatch(/must be signed: set LOG_SIGNING_KEY, or pass/);
    expect(await errorOf(command, '--since', pathOf('none'))).toMatch(
      /There is no result .* Run without --since first/,
    );
    expect(await errorOf(command, '--since', pathOf('key.pem'))).toMatch(/is not a signed result/);
    const over = await errorOf(command, '--result', pathOf('key.pem'), ...keyOptions());
    expect(over).toMatch(/is not a signed result/);
  });

  it('is written when the run is interrupted, and the same command continues', async () => {
    await appendQuotes(6_000);
    const head = await headOf();
    const args = [command, '--result', pathOf('a'), ...keyOptions()];
    const { exitCode, err } = await interruptedAfterFirstPage(args);
    expect(exitCode).toBe(3);
    expect(err).toMatch(/Interrupted at position \d+\. .* has the state so far: the same command continues there/);
    expect(factsOf('a')).toMatchObject({ since: null, comparedTo: null, isComplete: false });
    // The size of a page.
    expect(Number(factsOf('a').position)).toBeGreaterThanOrEqual(command === 'audit' ? 1_000 : 5_000);
    // A run that does not continue it is not affected.
    const whole = await report(command);
    const { evidence: _, ...continued } = await report(...(args as [string]));
    expect(continued).toEqual({ ...continued, events: head, streams: whole.streams, since: null });
    expect(factsOf('a')).toMatchObject({ since: null, position: String(head), isComplete: true, findings: [] });
    if (command === 'audit') expect(factsOf('a').comparedTo).toBe(String(head));
  });
});

describe('A signed result of florin audit', () => {
  it('says what was compared, and carries differences of read models over', async () => {
    const setTotal = (id: string, total: number) =>
      ledger.pool.query(`UPDATE read_models.operations SET total = $2 WHERE id = $1`, [id, total]);
    await setTotal(idOf(1), 1);
    await report('audit', '--result', pathOf('a'), ...keyOptions());
    const comparedTo = String(await headOf());
    expect(factsOf('a')).toMatchObject({ comparedTo, findings: [{ at: `read_models.operations ${idOf(1)}` }] });
    const id = await continueLog();
    await setTotal(id, 2);
    const { evidence } = await report('audit', '--since', pathOf('a'), '--result', pathOf('b'), ...keyOptions());
    expect(factsOf('b').findings.map(({ at }) => at)).toEqual(
      [id, idOf(1)].map((operation) => `read_models.operations ${operation}`),
    );
    expect(evidence.notProven[1]).toMatch(`compared for the 2 streams with events after position ${comparedTo}`);
    await setTotal(idOf(1), 10_000);
    await setTotal(id, 10_000);
  });

  it('is of one account or of all of them', async () => {
    await report('audit', '--account', accountId, '--result', pathOf('a'), ...keyOptions());
    const since = ['--since', pathOf('a'), ...keyOptions()];
    expect(await errorOf('audit', ...since)).toMatch(/is about .*-sandbox, not all accounts/);
    await continueLog();
    const { events, streams, environments } = await report('audit', '--account', accountId, ...since);
    expect(await report('audit', '--account', accountId)).toMatchObject({ events, streams, environments });
  });
});
