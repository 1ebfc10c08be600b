import { auditLog } from '@florin/audit';
import type { AuditReport } from './audit/audit-report';
import { compareReadModels } from './audit/compare-read-models';
import { runLine } from './testing/run-line';
import { accountId, idOf, type StoredBooks, storedBooks } from './testing/stored-books';

jest.setTimeout(30_000);

let books: StoredBooks;

beforeEach(async () => {
  books = await storedBooks();
});
afterEach(() => books.close());

const audit = (...args: readonly string[]) => runLine(['audit', ...args], books.environment);

async function auditJson(...args: readonly string[]): Promise<AuditReport & { readonly exitCode: number }> {
  const { exitCode, out } = await audit('--json', ...args);
  return { exitCode, ...(JSON.parse(out) as AuditReport) };
}

/** As somebody could who holds the server's own console. */
async function tamper(sql: string, ...values: readonly unknown[]): Promise<void> {
  await books.pool.query('ALTER TABLE event_store.events DISABLE TRIGGER events_are_for_ever');
  const { rowCount } = await books.pool.query(sql, [...values]);
  expect(rowCount).toBe(1);
}

const account = `account-${accountId}`;
const last = '(SELECT max(sequence) FROM read_models.account_entries)';
const linesOf = ({ flaws }: AuditReport): string => flaws.map(({ at, text }) => `${at}: ${text}`).join('\n');

describe('florin audit', () => {
  it('says that the books are right, and how they stand', async () => {
    const { exitCode, out, err } = await audit();
    expect(exitCode).toBe(0);
    expect(out).toMatch(/^The books are right: 15 events in 4 streams\.\n/);
    expect(out).toMatch(/\nsandbox +1 +1000\.00 +15\.00 +100\.00 +100\.00 +785\.00\n/);
    expect(out).toMatch(/QUEUED +PROCESSING +COMPLETED +FAILED +MANUAL REVIEW\nsandbox +1 +0 +1 +1 +0\n/);
    expect(out).toContain('account-entries agrees with the log, operations agrees with the log.');
    expect(err).toMatch(/Audited 15 events, up to position 15 of 15/);
  });

  it('gives the same as data', async () => {
    expect(await auditJson()).toMatchObject({
      ...{ exitCode: 0, events: 15, streams: 4, head: '15', notes: [], flaws: [] },
      environments: [
        { environment: 'sandbox', accounts: 1, deposited: '1000.00', available: '785.00', held: '100.00' },
      ],
      readModels: [{ state: 'agrees' }, { state: 'agrees' }],
    });
  });

  it('names an event that was changed: its chain, and what does not follow any more', async () => {
    const raised = `UPDATE event_store.events SET data = replace(data, '"amount":"1000.00"', '"amount":"2000.00"')
      WHERE type = 'FundsDeposited'`;
    await tamper(raised);
    const report = await auditJson();
    expect(report.exitCode).toBe(1);
    expect(linesOf(report)).toMatch(`${account}@0: FundsDeposited does not stand as it was written`);
    expect(linesOf(report)).toMatch(`${account}@0: FundsDeposited says 985.00 available`);
    expect(report.readModels).toMatchObject([{ state: 'differs' }, { state: 'agrees' }]);
    const { exitCode, out } = await audit();
    expect(exitCode).toBe(1);
    expect(out).toMatch(/^The books are NOT right, \d flaws in 15 events/);
  });

  it('names an event that is not even JSON any more', async () => {
    await tamper(`UPDATE event_store.events SET data = 'gone' WHERE type = 'OperationFailed'`);
    expect(linesOf(await auditJson())).toMatch(`operation-${idOf(2)}@3: OperationFailed is not JSON any more`);
  });

  it('shows where an event was removed, also where no chain can tell, and accuses no other', async () => {
    const last = `FROM event_store.events WHERE stream = 'operation-${idOf(1)}' ORDER BY revision DESC LIMIT 1`;
    const [{ position }] = (await books.pool.query(`SELECT position ${last}`)).rows as [{ position: string }];
    await tamper('DELETE FROM event_store.events WHERE position = $1', position);
    const report = await auditJson();
    expect(report).toMatchObject({ exitCode: 1, events: 14 });
    expect(linesOf(report)).toMatch(`position ${position}: is empty: somebody has removed what stood there`);
    expect(linesOf(report)).not.toMatch('does not stand as it was written');
    const { exitCode, err } = await runLine(['verify'], books.environment);
    expect(exitCode).toBe(1);
    expect(err).toMatch(
      new RegExp(`These positions are empty; somebody has removed what stood there:\\n  ${position}\n`),
    );
  });

  it.each([
    [
      'a balance',
      `UPDATE read_models.account_entries SET available = available + 1 WHERE sequence = ${last}`,
      /shows 785.01/,
    ],
    ['an entry', `UPDATE read_models.account_entries SET available_delta = 1 WHERE kind = 'fee'`, /adds up to 800.01/],
    ['the last entry', `DELETE FROM read_models.account_entries WHERE sequence = ${last}`, /the statement/],
    ['a status', `UPDATE read_models.operations SET status = 'failed' WHERE id = '${idOf(1)}'`, /shows failed, but/],
    ['an operation', `DELETE FROM read_models.operations WHERE id = '${idOf(3)}'`, /lacks \S+ \(queued\)/],
  ])('finds %s that is not shown as it is', async (_, sql, expected) => {
    await books.pool.query(sql);
    const report = await auditJson();
    expect(report.exitCode).toBe(1);
    expect(linesOf(report)).toMatch(expected);
  });

  it('finds what is shown and is in no log', async () => {
    const forge = (column: string, table: string): string =>
      `UPDATE read_models.${table} SET ${column} = 'deadbeef-0000-4000-8000-000000000000' WHERE ${column} = $1`;
    await books.pool.query(forge('id', 'operations'), [idOf(3)]);
    expect(linesOf(await auditJson())).toMatch(/operation-deadbeef\S+: the list of operations shows it, but the log/);
    await books.pool.query(forge('company_id', 'account_entries'), [accountId.slice(0, 36)]);
    expect(linesOf(await auditJson())).toMatch(/account-deadbeef\S+-sandbox: there is a statement, but the log/);
  });

  it('notes what is under way and read models that are behind, and takes neither for a flaw', async () => {
    await books.hold(4);
    const behind = await auditJson();
    expect(behind).toMatchObject({ exitCode: 0, flaws: [], readModels: [{ state: 'behind' }, { state: 'behind' }] });
    expect(behind.notes.map(({ text }) => text)).toEqual([
      expect.stringMatching(/^has read up to position 15 only/),
      expect.stringMatching(/^has read up to position 15 only/),
      expect.stringMatching(/^the hold of 100.00 for \S+ waits for its operation to be queued/),
    ]);
    await books.project();
    expect(await auditJson()).toMatchObject({
      exitCode: 0,
      notes: [{ at: account }],
      readModels: [{ state: 'agrees' }, { state: 'agrees' }],
      environments: [{ operations: { queued: 2 } }],
    });
    await books.pool.query('DELETE FROM read_models.operations WHERE id = $1', [idOf(4)]);
    expect(linesOf(await auditJson())).toBe(`${account}: the list of operations lacks ${idOf(4)} (queued)`);
  });

  it('does not mind what is written and shown after it has read the log', async () => {
    const audited = await auditLog(books.store, { pageSize: 4 });
    await books.operation({
      type: 'StartIssuerCall',
      data: { operationId: idOf(3), callId: 'c', deadline: '2030-01-02' },
    });
    await books.queue(await books.hold(4));
    const deposit = { depositId: 'e', reference: 'e', amount: '7.00', fee: '0.00', description: '', fingerprint: 'f' };
    const elsewhere = 'c0ffee00-0000-4000-8000-000000000002-live';
    await books.account({ type: 'DepositFunds', data: { accountId: elsewhere, ...deposit } });
    await books.project();
    const { store, pool } = books;
    const checkpoints = { position: () => store.head() };
    expect(await compareReadModels(audited, { store, pool, checkpoints })).toEqual([
      { name: 'account-entries', flaws: [] },
      { name: 'operations', flaws: [] },
    ]);
  });

  it('looks at one account alone', async () => {
    const elsewhere = { accountId: 'c0ffee00-0000-4000-8000-000000000002-live' };
    const deposit = { depositId: 'e', reference: 'e', amount: '7.00', fee: '0.00', description: '', fingerprint: 'f' };
    await books.account({ type: 'DepositFunds', data: { ...elsewhere, ...deposit } });
    await tamper(`UPDATE event_store.events SET data = '{}' WHERE stream = 'account-${elsewhere.accountId}'`);
    expect(await auditJson('--account', accountId)).toMatchObject({ exitCode: 0, account: accountId, events: 15 });
    expect(await auditJson('--account', elsewhere.accountId)).toMatchObject({ exitCode: 1, events: 1 });
    const { exitCode, err } = await audit('--account', 'nobody-live');
    expect(exitCode).toBe(1);
    expect(err).toMatch(/The log knows no account nobody-live\. Give a company's id and the environment/);
  });
});
