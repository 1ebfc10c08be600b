import { createPool, databaseUrl, startEmbeddedPostgres } from '@florin/database';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import type { Account } from './harness/account';
import { EventLog } from './harness/event-log';
import { Florin, runCliBeside } from './harness/florin';
import { newDataDirectory } from './harness/florin-process';
import { Operator } from './harness/operator';
import { service, topup } from './harness/orders';

interface Report {
  readonly flaws: readonly { readonly at: string; readonly text: string }[];
  readonly readModels: readonly { readonly name: string; readonly state: string }[];
  readonly head: string;
}

describe('verify and audit beside a running Florin', () => {
  let florin: Florin;
  let log: EventLog;
  let account: Account;
  let cardId: string;

  beforeAll(async () => {
    florin = await Florin.start({ env: { LOG_LEVEL: 'warn', RATE_LIMIT_SANDBOX: '0' } });
    log = new EventLog(florin);
    const operator = new Operator(florin);
    account = await operator.newKey(await operator.newCompany());
    expect((await account.fund('5000')).status).toBe(201);
    cardId = await account.newCard(await account.newHolder());
  });

  afterAll(async () => {
    await log.close();
    expect(await florin.stop()).toBe(0);
    florin.removeData();
  });

  const run = (...args: readonly string[]) => runCliBeside(args, { FLORIN_DATA_DIR: florin.dataDirectory });

  async function audit(): Promise<Report & { readonly code: number | null }> {
    const { code, out, err } = await run('audit', '--json');
    if (out === '') throw new Error(err);
    return { code, ...(JSON.parse(out) as Report) };
  }

  test('finds nothing wrong while operations change the read models', async () => {
    let isOver = false;
    const load = (async (): Promise<void> => {
      while (!isOver) {
        await account.order(topup(cardId, '10.00'));
        await account.order(service());
        expect((await account.fund('50')).status).toBe(201);
        await account.newHolder();
      }
    })();
    const heads: bigint[] = [];
    for (let round = 0; round < 2; round++) {
      const [verified, { code, flaws, head }] = await Promise.all([run('verify', '--json'), audit()]);
      expect({ code: verified.code, ...JSON.parse(verified.out) }).toMatchObject({ code: 0, broken: [], missing: [] });
      expect({ code, flaws }).toEqual({ code: 0, flaws: [] });
      heads.push(BigInt(head));
    }
    isOver = true;
    await load;
    // Events were written between the audits.
    expect(heads[0]! < heads[1]!).toBe(true);
  });

  test('finds a card balance that was changed in its table', async () => {
    // Later events of a card would replace its balance.
    const idle = await account.newCard(await account.newHolder());
    // Waits until the table has the card.
    await account.card(idle);
    const [card] = await log.query<{ balance: string }>('SELECT balance FROM read_models.cards WHERE id = $1', idle);
    await log.query('UPDATE read_models.cards SET balance = 999999 WHERE id = $1', idle);
    const { code, flaws } = await audit();
    expect({ code, flaws }).toEqual({
      code: 1,
      flaws: [{ at: `read_models.cards ${idle}`, text: `balance is 999999, but the log has ${card!.balance}` }],
    });
    await log.query('UPDATE read_models.cards SET balance = $1 WHERE id = $2', card!.balance, idle);
  });

  test.each(['verify', 'audit'])('SIGINT ends %s at once, with exit code 3', async (command) => {
    const silent = createServer();
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const connected = once(silent, 'connection') as Promise<[Socket]>;
    const { port } = silent.address() as AddressInfo;
    const env = { DATABASE_URL: `postgres://florin@127.0.0.1:${port}/florin` };
    const { code, out, err } = await runCliBeside([command], env, connected);
    expect({ code, out, err }).toEqual({
      ...{ code: 3, out: '' },
      err: 'Error: Interrupted. There is no result, and nothing was changed.\n',
    });
    (await connected)[0].destroy();
    silent.close();
  });

  describe('on a copy of the data folder of a stopped Florin', () => {
    let copy: string;

    beforeAll(async () => {
      expect(await florin.stop()).toBe(0);
      copy = join(newDataDirectory(), 'data');
      // As docs/OPERATIONS.md describes it.
      execFileSync('cp', ['-aL', florin.dataDirectory, copy]);
    });

    afterAll(() => rmSync(dirname(copy), { recursive: true }));

    async function check(env: Readonly<Record<string, string>>): Promise<void> {
      for (const args of [['verify'], ['audit'], ['explain', 'card', cardId]]) {
        const { code, err } = await runCliBeside([...args, '--json'], env);
        expect({ args, code, err: code === 0 ? '' : err }).toEqual({ args, code: 0, err: '' });
      }
    }

    test('they work on the restored backup', () => check({ FLORIN_DATA_DIR: copy }));

    test('they work on a hot standby, which only reads', async () => {
      const cluster = join(copy, 'postgres', 'data');
      const { uid, gid } = statSync(cluster);
      const signalFile = join(cluster, 'standby.signal');
      writeFileSync(signalFile, '');
      chownSync(signalFile, uid, gid);
      const standby = await startEmbeddedPostgres({ dataDirectory: copy });
      try {
        const connection = { ...standby.connection, user: 'florin_auditor', database: 'florin' };
        const pool = createPool(connection, { max: 1 });
        expect((await pool.query('SELECT pg_is_in_recovery() AS is')).rows).toEqual([{ is: true }]);
        await pool.end();
        await check({ DATABASE_URL: databaseUrl(connection) });
      } finally {
        await standby.stop();
      }
    });
  });
});
