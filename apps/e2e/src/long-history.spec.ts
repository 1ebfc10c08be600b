import { ApiClient, utcDate } from './harness/client';
import { databaseUrlOf, EventLog } from './harness/event-log';
import { Florin, runCli } from './harness/florin';
import { until } from './harness/until';

interface StoredSnapshot {
  readonly revision: number;
}

/** The maximum number of statement entries, and more events than an account needs for a snapshot. */
const historyLength = 10_000;

describe('an account with a long history', () => {
  let florin: Florin;
  let log: EventLog;

  beforeAll(async () => {
    florin = await Florin.start({ env: { LOG_LEVEL: 'warn' } });
    log = new EventLog(florin);
  });

  afterAll(async () => {
    await log.close();
    expect(await florin.stop()).toBe(0);
    florin.removeData();
  });

  test('stores a snapshot, continues from it after a crash, and recognizes earlier requests', async () => {
    const { id, keys } = florin.credentials.companies[0]!;
    const stream = `account-${id}-sandbox`;
    const findSnapshots = (): Promise<StoredSnapshot[]> =>
      log.query<StoredSnapshot>('SELECT revision FROM event_store.snapshots WHERE stream = $1', stream);
    await log.begin(
      stream,
      Array.from({ length: historyLength }, () => '1.00'),
    );
    const client = new ApiClient(florin.baseUrl, keys.sandbox);
    const statement = () => client.get(`/api/v1/account-statements?from=${utcDate(-1)}&to=${utcDate(1)}`);
    expect((await statement()).body['data']).toHaveLength(historyLength);
    expect((await client.fund('5.00', 'before-the-crash')).status).toBe(201);
    expect(await statement()).toMatchObject({ status: 400, body: { code: 'statement_too_large' } });
    const snapshots = await until('a snapshot is stored', findSnapshots, ({ length }) => length === 1);
    expect(snapshots).toEqual([{ revision: historyLength }]);
    expect((await client.fund('7.00', 'after-the-snapshot')).status).toBe(201);

    await log.close();
    await florin.kill();
    florin = await Florin.start({ dataDirectory: florin.dataDirectory, env: { LOG_LEVEL: 'warn' } });
    log = new EventLog(florin);
    const again = new ApiClient(florin.baseUrl, keys.sandbox);
    for (const [amount, key] of [
      ['5.00', 'before-the-crash'],
      ['7.00', 'after-the-snapshot'],
    ] as const) {
      const repeat = await again.fund(amount, key);
      expect([repeat.status, repeat.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
    }
    expect((await again.fund('9.00')).status).toBe(201);
    // Reading the account from its first event would have stored a new snapshot by now.
    expect(await findSnapshots()).toEqual([{ revision: historyLength }]);
    expect(await again.balance()).toMatchObject({ available: `${historyLength + 5 + 7 + 9}.00`, held: '0.00' });
    const audit = runCli(['audit', '--json'], { DATABASE_URL: databaseUrlOf(florin) });
    expect(audit).toMatchObject({ flaws: [], notes: [] });
  });
});
