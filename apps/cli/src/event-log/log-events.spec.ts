import { runCommand } from '../testing/run-command';
import { accountId, idOf, type StoredLedger, storedLedger } from '../testing/stored-ledger';

jest.setTimeout(30_000);

let ledger: StoredLedger;

beforeAll(async () => {
  ledger = await storedLedger();
});
afterAll(() => ledger.close());

const run = (...args: readonly string[]) => runCommand(['log', 'list', ...args], ledger.environment);

describe('florin log list', () => {
  it('prints all events in the order of the log', async () => {
    const { exitCode, out } = await run();
    expect(exitCode).toBe(0);
    const lines = out.trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { position: string }).position)).toEqual(
      Array.from({ length: 15 }, (_, index) => String(index + 1)),
    );
  });

  it('prints one stream, or one type, with data and metadata', async () => {
    const { out } = await run('--stream', `operation-${idOf(2)}`, '--type', 'OperationFailed');
    expect(JSON.parse(out)).toMatchObject({
      ...{ stream: `operation-${idOf(2)}`, revision: 3, type: 'OperationFailed' },
      data: { operationId: idOf(2) },
      metadata: { actor: { kind: 'service', id: 'test' }, recordedAt: expect.stringMatching(/Z$/) as string },
    });
    const deposits = await run('--type', 'FundsDeposited');
    expect(JSON.parse(deposits.out)).toMatchObject({ stream: `account-${accountId}`, data: { amount: '1000.00' } });
  });

  it('says that there is no such event', async () => {
    expect(await run('--stream', 'operation-none')).toMatchObject({
      exitCode: 1,
      err: 'Error: There is no event in stream operation-none. Check the name.\n',
    });
    expect(await run('--type', 'Unknown')).toMatchObject({
      err: 'Error: There is no Unknown in the log. Check the name.\n',
    });
  });
});
