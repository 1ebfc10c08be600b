import { LogSigningKey } from '@florin/event-sourcing';
import { commandLog } from '@florin/event-sourcing/testing';
import { holderAggregate } from '@florin/operations-domain';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from './testing/run-command';
import { storeAsTexts } from './testing/store-as-texts';
import { accountId, companyId, idOf, type StoredLedger, storedLedger } from './testing/stored-ledger';

jest.setTimeout(30_000);

let ledger: StoredLedger;
let folder: string;

beforeAll(async () => {
  ledger = await storedLedger();
});
afterAll(() => ledger.close());

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'florin-audit-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const run = (...args: readonly string[]) => runCommand(['audit', ...args], ledger.environment);
const pathOf = (...names: readonly string[]): string => join(folder, ...names);
const fileOf = (name: string, from = 'out'): string => readFileSync(pathOf(from, name), 'utf8');
const rowsOf = (name: string): Record<string, unknown>[] => JSON.parse(fileOf(`${name}.json`)) as never;
const linesOf = (name: string): string[] => fileOf(`${name}.csv`).trim().split('\r\n');
const filesIn = (name: string): Record<string, string> =>
  Object.fromEntries(readdirSync(pathOf(name)).map((file) => [file, fileOf(file, name)]));

async function exported(position = '15', ...options: readonly string[]): Promise<void> {
  const { exitCode, err } = await run('--as-of', position, '--out', pathOf('out'), ...options);
  expect({ exitCode, err }).toMatchObject({ exitCode: 0 });
}

function signingKey(): { readonly file: string; readonly publicKey: string } {
  const key = LogSigningKey.generate();
  writeFileSync(pathOf('key.pem'), key.pem);
  return { file: pathOf('key.pem'), publicKey: key.publicKey.text };
}

describe('florin audit --as-of --out', () => {
  it('writes the trial balance, the statement and all objects as CSV, JSON and a page', async () => {
    await exported();
    const account = { companyId, environment: 'sandbox' };
    expect(rowsOf('trial-balance')).toEqual([
      {
        ...account,
        ...{ deposited: '1000.00', adjusted: '0.00', refunded: '0.00', captured: '100.00', fees: '15.00' },
        ...{ available: '785.00', held: '100.00', balance: '885.00' },
      },
    ]);
    expect(linesOf('trial-balance')[1]).toBe(
      `${companyId},sandbox,1000.00,0.00,0.00,100.00,15.00,785.00,100.00,885.00`,
    );
    expect(rowsOf('statements').at(-1)).toMatchObject({ ...account, balance: '885.00' });
    expect(rowsOf('statements')).toHaveLength(linesOf('statements').length - 1);
    expect(rowsOf('operations').map(({ status }) => status)).toEqual(['completed', 'failed', 'queued']);
    const { out } = await run('--as-of', '15', '--out', pathOf('again'));
    expect(out).toMatch(/^Exported the log as of position 15 to .+: 15 events, up to position 15\./);
    expect(fileOf('report.html')).toContain('No problems were found in the log.');
  });

  it('writes the same bytes again, however the log and the tables have changed since', async () => {
    await exported('9');
    await ledger.queue(await ledger.reserve(77));
    await ledger.project();
    await ledger.pool.query('UPDATE read_models.account_entries SET available = 0');
    expect((await run('--as-of', '9', '--out', pathOf('later'))).exitCode).toBe(0);
    expect(filesIn('later')).toEqual(filesIn('out'));
  });

  it('shows the past and not what came after it', async () => {
    await exported('1');
    expect(rowsOf('trial-balance')).toMatchObject([{ deposited: '1000.00', held: '0.00', balance: '985.00' }]);
    expect(rowsOf('operations')).toEqual([]);
  });

  it('contains only what is asked for', async () => {
    const other = 'c0ffee00-0000-4000-8000-000000000002';
    await exported('15', '--company', other, '--environment', 'live');
    expect(rowsOf('trial-balance')).toEqual([]);
    expect(rowsOf('operations')).toEqual([]);
    expect(linesOf('statements')).toHaveLength(1);
    expect(JSON.parse(fileOf('manifest.json'))).toMatchObject({ company: other, environment: 'live' });
  });

  it('lists the erasures of holders', async () => {
    const { runner } = commandLog(ledger.store);
    const run = runner(holderAggregate, ({ data }) => data.accountId);
    const holderId = idOf(91);
    const sealed = { sealed: 's', requestId: idOf(92), fingerprint: 'f', createdAt: '2030-01-01T00:00:00.000Z' };
    const person = { kind: 'individual', externalId: 'x', status: 'active' } as const;
    const data = { accountId, holderId, companyId, environment: 'sandbox', ...person, ...sealed } as const;
    await run({ type: 'RegisterHolder', data });
    await run({ type: 'EraseHolder', data: { accountId, holderId } });
    const position = String(await ledger.store.head());
    await exported(position);
    expect(rowsOf('erasures')).toMatchObject([
      { holderId, companyId, environment: 'sandbox', erasedBy: 'service test', position },
    ]);
  });

  it('does not let a text become a formula of a spreadsheet', async () => {
    const deposit = { depositId: idOf(90), reference: 'r', amount: '1.00', fee: '0.00', fingerprint: 'f' };
    await ledger.account({ type: 'DepositFunds', data: { accountId, ...deposit, description: '=1+2,"3"' } });
    await exported(String(await ledger.store.head()));
    expect(linesOf('statements').at(-1)).toContain(`"'=1+2,""3"""`);
  });

  it('reports the problems of the log and has the exit code 1', async () => {
    const tampered = await storedLedger();
    await storeAsTexts(tampered.pool, tampered.store);
    await tampered.pool.query(`UPDATE event_store.events SET data = replace(data, '"1000.00"', '"2000.00"')
      WHERE type = 'FundsDeposited'`);
    const args = ['audit', '--as-of', '15', '--out', pathOf('out')];
    const { exitCode, out } = await runCommand(args, tampered.environment);
    await tampered.close();
    expect(exitCode).toBe(1);
    expect(out).toMatch(/PROBLEMS FOUND: \d/);
    expect(fileOf('report.html')).toContain('does not continue the hash chain');
  });

  it.each([
    [['--as-of', '9'], 'needs both --as-of and --out'],
    [['--out', 'x'], 'needs both --as-of and --out'],
    [['--environment', 'live'], 'Add --as-of and --out'],
    [['--as-of', '2030-02-30', '--out', 'x'], 'is neither a position of the log nor a time'],
    [['--as-of', '9', '--out', 'x', '--company', 'acme'], 'Use the ID of a company'],
    [['--as-of', '999', '--out', 'x'], 'The log ends at position '],
    [['--as-of', '2020-01-31', '--out', 'x'], 'No event was recorded before that time'],
    [['--as-of', '2999-01-01', '--out', 'x'], 'is not at least a minute ago'],
  ])('rejects %j', async (args, text) => {
    const { exitCode, err } = await run(...args);
    expect([exitCode, err]).toEqual([2, expect.stringContaining(text)]);
  });

  it('never mixes two exports', async () => {
    await exported();
    const { exitCode, err } = await run('--as-of', '9', '--out', pathOf('out'));
    expect([exitCode, err]).toEqual([3, expect.stringContaining('is not empty')]);
  });
});

describe('florin audit check', () => {
  const check = (...args: readonly string[]) => runCommand(['audit', 'check', pathOf('out'), ...args], {});

  it('confirms an unchanged export, without a database', async () => {
    const { file, publicKey } = signingKey();
    await exported('15', '--signing-key', file);
    const { exitCode, out } = await check('--public-key', publicKey);
    expect({ exitCode, out }).toEqual({
      exitCode: 0,
      out: expect.stringMatching(/is unchanged: 2\d files\. It is signed/),
    });
    expect((await check()).out).toContain('pass --public-key to prove that it is yours');
  });

  it('says that an export without a key is not signed', async () => {
    await exported();
    expect((await check()).out).toContain('It is not signed.');
    const { exitCode, out } = await check('--public-key', LogSigningKey.generate().publicKey.text);
    expect({ exitCode, out }).toEqual({ exitCode: 1, out: expect.stringContaining('the export is not signed') });
  });

  it.each([
    ['a changed file', () => writeFileSync(pathOf('out', 'cards.csv'), 'x'), 'cards.csv was changed'],
    ['a missing file', () => rmSync(pathOf('out', 'cards.csv')), 'cards.csv is missing'],
    ['an additional file', () => writeFileSync(pathOf('out', 'more.csv'), ''), 'more.csv is not part of the export'],
    ['an interrupted export', () => rmSync(pathOf('out', 'manifest.json')), 'the export was interrupted'],
    ['a changed manifest', () => edit('manifest.json', '"events": 15', '"events": 16'), 'the signature'],
  ])('finds %s', async (_, change, text) => {
    await exported('15', '--signing-key', signingKey().file);
    change();
    const { exitCode, out } = await check();
    expect({ exitCode, out }).toEqual({ exitCode: 1, out: expect.stringContaining(text) });
  });

  it('finds another key', async () => {
    await exported('15', '--signing-key', signingKey().file);
    const { exitCode, out } = await check('--public-key', LogSigningKey.generate().publicKey.text);
    expect({ exitCode, out }).toEqual({ exitCode: 1, out: expect.stringContaining('--public-key does not have') });
  });
});

function edit(name: string, from: string, to: string): void {
  const text = fileOf(name);
  expect(text).toContain(from);
  writeFileSync(pathOf('out', name), text.replace(from, to));
}
