import { auditLog } from '@florin/audit';
import { createPool } from '@florin/database';
import { forgedSnapshot } from '@florin/event-sourcing/testing';
import type { StateOf } from '@florin/kernel';
import { accountAggregate } from '@florin/ledger-domain';
import type { AuditReport } from './audit/audit-report';
import { comparedProjections, ReadModelsComparison } from '@florin/read-models/tools';
import { compareReadModels } from './audit/compare-read-models';
import { runCommand } from './testing/run-command';
import { storeAsTexts } from './testing/store-as-texts';
import { accountId, companyId, idOf, type StoredLedger, storedLedger } from './testing/stored-ledger';

jest.setTimeout(30_000);

let ledger: StoredLedger;

beforeEach(async () => {
  ledger = await storedLedger();
});
afterEach(() => ledger.close());

const audit = (...args: readonly string[]) => runCommand(['audit', ...args], ledger.environment);

async function auditJson(...args: readonly string[]): Promise<AuditReport & { readonly exitCode: number }> {
  const { exitCode, out } = await audit('--json', ...args);
  return { exitCode, ...(JSON.parse(out) as AuditReport) };
}

/** Changes the log as an administrator of the database could. */
async function tamper(sql: string, ...values: readonly unknown[]): Promise<void> {
  await storeAsTexts(ledger.pool, ledger.store);
  const { rowCount } = await ledger.pool.query(sql, [...values]);
  expect(rowCount).toBe(1);
}

const account = `account-${accountId}`;
const last = '(SELECT max(sequence) FROM read_models.account_entries)';
const linesOf = ({ flaws }: AuditReport): string => flaws.map(({ at, text }) => `${at}: ${text}`).join('\n');

const statesOf = ({ readModels }: AuditReport): Readonly<Record<string, string>> =>
  Object.fromEntries(readModels.map(({ name, state }) => [name, state]));

describe('florin audit', () => {
  it('reports success with totals per environment', async () => {
    const { exitCode, out, err } = await audit();
    expect(exitCode).toBe(0);
    expect(out).toMatch(/^Audited 15 events in 4 streams\. No problems found\.\n/);
    expect(out).toMatch(/\nsandbox +1 +1000\.00 +0\.00 +15\.00 +100\.00 +0\.00 +100\.00 +785\.00\n/);
    expect(out).toMatch(/QUEUED +PROCESSING +COMPLETED +FAILED +MANUAL REVIEW\nsandbox +1 +0 +1 +1 +0\n/);
    expect(out).toContain('account-entries matches the log, operations matches the log, cards matches the log, ');
    expect(err).toMatch(/Audited 15 events, up to position 15 of 15/);
  });

  it('prints the same as JSON', async () => {
    expect(await auditJson()).toMatchObject({
      ...{ exitCode: 0, events: 15, streams: 4, head: '15', notes: [], flaws: [] },
      environments: [
        { environment: 'sandbox', accounts: 1, deposited: '1000.00', available: '785.00', held: '100.00' },
      ],
      readModels: comparedProjections.map(({ name }) => ({ name, state: 'agrees' })),
    });
  });

  it('reports a changed event by its hash chain and its balance', async () => {
    const raised = `UPDATE event_store.events SET data = replace(data, '"amount":"1000.00"', '"amount":"2000.00"')
      WHERE type = 'FundsDeposited'`;
    await tamper(raised);
    const report = await auditJson();
    expect(report.exitCode).toBe(1);
    expect(linesOf(report)).toMatch(`${account}@0: FundsDeposited does not continue the hash chain of its stream`);
    expect(linesOf(report)).toMatch(`${account}@0: FundsDeposited records 985.00 available`);
    expect(statesOf(report)).toMatchObject({ 'account-entries': 'differs', operations: 'agrees' });
    const { exitCode, out } = await audit();
    expect(exitCode).toBe(1);
    expect(out).toMatch(/^Audited 15 events in 4 streams\. PROBLEMS FOUND: \d\n/);
  });

  it('reports a snapshot whose state is not the one that the log leads to', async () => {
    const keepSnapshot = async (available?: bigint): Promise<void> => {
      const forge = (state: StateOf<typeof accountAggregate>) => ({ ...state, ...(available && { available }) });
      const { revision, hash, version, state, digest } = await forgedSnapshot(
        accountAggregate,
        ledger.store,
        account,
        forge,
      );
      await ledger.pool.query('DELETE FROM event_store.snapshots');
      const insert = 'INSERT INTO event_store.snapshots VALUES ($1, $2, $3, $4, $5, $6)';
      await ledger.pool.query(insert, [account, revision, hash, version, state, digest]);
    };
    await keepSnapshot();
    expect(await auditJson()).toMatchObject({ exitCode: 0, flaws: [] });
    await keepSnapshot(77_778_500n);
    const report = await auditJson();
    expect(report.exitCode).toBe(1);
    expect(linesOf(report)).toMatch(`${account}: the snapshot is wrong: its state at revision`);
    expect(linesOf(await auditJson('--account', accountId))).toMatch(`${account}: the snapshot is wrong`);
    await ledger.pool.query(`UPDATE event_store.snapshots SET state = 'x'`);
    expect(linesOf(await auditJson())).toMatch(`${account}: the snapshot is wrong: it is corrupt`);
  });

  it('reports a live deposit that no invoice explains', async () => {
    const live = `${companyId}-live`;
    const deposit = { depositId: 'x', reference: 'x', amount: '777777.00', fee: '0.00', description: '' };
    await ledger.account({ type: 'DepositFunds', data: { accountId: live, ...deposit, fingerprint: 'x' } });
    const { exitCode, out } = await audit();
    expect(exitCode).toBe(1);
    expect(out).toContain(
      `PROBLEMS FOUND: 1\n  account-${live}@0: FundsDeposited credits 777777.00, but no invoice of the account explains it`,
    );
  });

  it('reports an event that is not valid JSON', async () => {
    await tamper(`UPDATE event_store.events SET data = 'not JSON' WHERE type = 'OperationFailed'`);
    expect(linesOf(await auditJson())).toMatch(`operation-${idOf(2)}@3: OperationFailed is not valid JSON`);
  });

  it.each([
    ['damaged', String.raw`'\x01ff'`],
    ['of a newer release', String.raw`'\x63'`],
  ])('reports an event whose bytes are %s', async (_, bytes) => {
    await tamper(
      `UPDATE event_store.events SET data = NULL, metadata = NULL, packed = ${bytes} WHERE type = 'OperationFailed'`,
    );
    const { exitCode, err } = await runCommand(['verify'], ledger.environment);
    expect(exitCode).toBe(1);
    expect(err).toMatch(`operation-${idOf(2)}@3`);
    expect(linesOf(await auditJson())).toMatch(`operation-${idOf(2)}@3: OperationFailed is not valid JSON`);
  });

  it('reports a removed event, even at the end of a stream, and no other', async () => {
    const last = `FROM event_store.events WHERE stream = 'operation-${idOf(1)}' ORDER BY revision DESC LIMIT 1`;
    const [{ position }] = (await ledger.pool.query(`SELECT position ${last}`)).rows as [{ position: string }];
    await tamper('DELETE FROM event_store.events WHERE position = $1', position);
    const report = await auditJson();
    expect(report).toMatchObject({ exitCode: 1, events: 14 });
    expect(linesOf(report)).toMatch(`position ${position}: the event was removed`);
    expect(linesOf(report)).not.toMatch('does not continue the hash chain');
    const { exitCode, err } = await runCommand(['verify'], ledger.environment);
    expect(exitCode).toBe(1);
    expect(err).toMatch(`Error: Found tampering in 14 events:\n  position ${position}: the event was removed\n`);
  });

  it.each([
    [
      'a balance',
      `UPDATE read_models.account_entries SET available = available + 1 WHERE sequence = ${last}`,
      /shows 785.01/,
    ],
    ['an entry', `UPDATE read_models.account_entries SET available_delta = 1 WHERE kind = 'fee'`, /adds up to 800.01/],
    [
      'the kind of a fee',
      `UPDATE read_models.account_entries SET kind = 'adjustment' WHERE kind = 'fee'`,
      /has fees of 0.00, but the log has/,
    ],
    ['the last entry', `DELETE FROM read_models.account_entries WHERE sequence = ${last}`, /the statement/],
    ['a status', `UPDATE read_models.operations SET status = 'failed' WHERE id = '${idOf(1)}'`, /shows failed, but/],
    ['an operation', `DELETE FROM read_models.operations WHERE id = '${idOf(3)}'`, /lacks \S+ \(queued\)/],
  ])('reports %s that differs from the log', async (_, sql, expected) => {
    await ledger.pool.query(sql);
    const report = await auditJson();
    expect(report.exitCode).toBe(1);
    expect(linesOf(report)).toMatch(expected);
  });

  it('reports rows that are not in the log', async () => {
    const forge = (column: string, table: string): string =>
      `UPDATE read_models.${table} SET ${column} = 'deadbeef-0000-4000-8000-000000000000' WHERE ${column} = $1`;
    await ledger.pool.query(forge('id', 'operations'), [idOf(3)]);
    expect(linesOf(await auditJson())).toMatch(/operation-deadbeef\S+: the list of operations shows it, but the log/);
    await ledger.pool.query(forge('company_id', 'account_entries'), [accountId.slice(0, 36)]);
    expect(linesOf(await auditJson())).toMatch(/account-deadbeef\S+-sandbox: there is a statement, but the log/);
  });

  it('lists work in progress and read models that are behind as notes', async () => {
    await ledger.reserve(4);
    const behind = await auditJson();
    expect(behind).toMatchObject({ exitCode: 0, flaws: [] });
    expect(statesOf(behind)).toMatchObject({ 'account-entries': 'behind', operations: 'behind', cards: 'agrees' });
    expect(behind.notes.map(({ text }) => text)).toEqual([
      expect.stringMatching(/^is behind, at position 15,/),
      expect.stringMatching(/^is behind, at position 15,/),
      expect.stringMatching(/^the reservation of 100.00 for \S+ waits for its operation to be queued/),
    ]);
    await ledger.project();
    expect(await auditJson()).toMatchObject({
      exitCode: 0,
      notes: [{ at: account }],
      readModels: comparedProjections.map(() => ({ state: 'agrees' })),
      environments: [{ operations: { queued: 2 } }],
    });
    await ledger.pool.query('DELETE FROM read_models.operations WHERE id = $1', [idOf(4)]);
    const { flaws } = await auditJson();
    expect(flaws).toEqual([
      { at: account, text: `the list of operations lacks ${idOf(4)} (queued)` },
      { at: `read_models.operations ${idOf(4)}`, text: 'the table lacks this row, which the log has' },
    ]);
  });

  it('ignores events and rows written after it has read the log', async () => {
    const { store, pool } = ledger;
    const comparison = await ReadModelsComparison.start(pool);
    const visit = comparison.add.bind(comparison);
    const audited = await auditLog(store, { pageSize: 4, visit, report: () => comparison.afterPage() });
    await ledger.operation({
      type: 'StartIssuerCall',
      data: { operationId: idOf(3), callId: 'c', deadline: '2030-01-02' },
    });
    await ledger.queue(await ledger.reserve(4));
    // Visible before its operation is queued.
    await ledger.reserve(5);
    const deposit = { depositId: 'e', reference: 'e', amount: '7.00', fee: '0.00', description: '', fingerprint: 'f' };
    const other = 'c0ffee00-0000-4000-8000-000000000002-live';
    await ledger.account({ type: 'DepositFunds', data: { accountId: other, ...deposit } });
    await ledger.project();
    const agreeing = comparedProjections.map(({ name }) => ({ name, isRebuilt: false, flaws: [] }));
    const differences = await comparison.finish(store);
    expect(await compareReadModels(audited, differences, { store, pool })).toEqual(agreeing);
  });

  it('works on a replica that rejects every write, as does verify', async () => {
    await ledger.pool.query(`ALTER DATABASE ${ledger.connection.database} SET default_transaction_read_only = on`);
    const replica = createPool(ledger.connection, { max: 1 });
    await expect(replica.query('DELETE FROM read_models.cards')).rejects.toThrow('in a read-only transaction');
    await replica.end();
    expect(await auditJson()).toMatchObject({ exitCode: 0, flaws: [] });
    expect(await runCommand(['verify'], ledger.environment)).toMatchObject({ exitCode: 0 });
  });

  it('applies the four-eyes amount of the auditor to adjustments', async () => {
    const bootstrap = { kind: 'operator', id: 'bootstrap' } as const;
    const adjustment = { adjustmentId: 'a', direction: 'credit', amount: '500.00', description: 'Lost' } as const;
    const decision = { proposedBy: bootstrap, fourEyesAmount: '0.00', requestedAt: '2030-01-01T00:00:00.000Z' };
    const data = { accountId, ...adjustment, ...decision, fingerprint: 'f' };
    await ledger.account({ type: 'AdjustAccount', data });
    expect(linesOf(await auditJson())).toMatch(
      /AccountAdjusted credits 500.00, but was caused by service test instead/,
    );
    await tamper(
      `UPDATE event_store.events SET metadata = replace(metadata, '"actor":{"kind":"service","id":"test"}', $1)
      WHERE type = 'AccountAdjusted'`,
      `"actor":${JSON.stringify(bootstrap)}`,
    );
    const finding = /AccountAdjusted credits 500.00, but only operator bootstrap decided it; from 500.00 it takes two/;
    expect(linesOf(await auditJson())).not.toMatch(/credits 500.00/);
    expect(linesOf(await auditJson('--four-eyes-amount', '500'))).toMatch(finding);
    expect(linesOf(await auditJson('--four-eyes-amount', '0'))).not.toMatch(/credits 500.00/);
    const environment = { ...ledger.environment, FOUR_EYES_AMOUNT: '500' };
    const { exitCode, out } = await runCommand(['audit', '--json'], environment);
    expect(exitCode).toBe(1);
    expect(linesOf(JSON.parse(out) as AuditReport)).toMatch(finding);
    expect(await audit('--four-eyes-amount', 'much')).toMatchObject({
      err: expect.stringMatching(/Use an amount in US dollars such as 1000 or 1000.00/),
    });
  });

  it('audits a single account', async () => {
    const other = { accountId: 'c0ffee00-0000-4000-8000-000000000002-live' };
    const deposit = { depositId: 'e', reference: 'e', amount: '7.00', fee: '0.00', description: '', fingerprint: 'f' };
    await ledger.account({ type: 'DepositFunds', data: { ...other, ...deposit } });
    await tamper(`UPDATE event_store.events SET data = '{}' WHERE stream = 'account-${other.accountId}'`);
    expect(await auditJson('--account', accountId)).toMatchObject({ exitCode: 0, account: accountId, events: 15 });
    expect(await auditJson('--account', other.accountId)).toMatchObject({ exitCode: 1, events: 1 });
    const { exitCode, err } = await audit('--account', 'unknown-live');
    expect(exitCode).toBe(3);
    expect(err).toMatch(/The log has no account unknown-live\. Use a company ID and an environment/);
  });
});
