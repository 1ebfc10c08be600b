import { until } from '@florin/kernel/testing';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '../testing/run-command';
import { RunningCommand } from '../testing/start-command';
import { storeAsTexts } from '../testing/store-as-texts';
import { type StoredLedger, storedLedger } from '../testing/stored-ledger';

jest.setTimeout(30_000);

let ledger: StoredLedger;
let folder: string;

beforeAll(async () => {
  ledger = await storedLedger();
  folder = mkdtempSync(join(tmpdir(), 'florin-check-'));
});
afterAll(async () => {
  await ledger.close();
  rmSync(folder, { recursive: true });
});

const commands = ['verify', 'audit'] as const;

/** Runs the work on a log that was changed as an administrator of the database could. */
async function tampered(work: () => Promise<void>): Promise<void> {
  const changeTo = (data: string): Promise<unknown> =>
    ledger.pool.query(`UPDATE event_store.events SET data = $1 WHERE type = 'FundsDeposited'`, [data]);
  await storeAsTexts(ledger.pool, ledger.store);
  const { rows } = await ledger.pool.query<{ data: string }>(
    `SELECT data FROM event_store.events WHERE type = 'FundsDeposited'`,
  );
  await changeTo('{}');
  try {
    await work();
  } finally {
    await changeTo(rows[0]!.data);
  }
}

describe.each(commands)('The exit code of florin %s', (command) => {
  const run = (...args: readonly string[]) => runCommand([command, ...args], ledger.environment);

  it('is 0 if everything is correct', async () => {
    expect(await run()).toMatchObject({ exitCode: 0 });
  });

  it('is 1 if it found problems', async () => {
    await tampered(async () => {
      expect(await run()).toMatchObject({ exitCode: 1 });
      expect(await run('--json')).toMatchObject({ exitCode: 1 });
    });
  });

  it.each([
    ['an unknown option', ['--unknown']],
    ['an unexpected argument', ['everything']],
    ['an invalid key', ['--checkpoints', 'stored', '--public-key', 'none']],
    ['an invalid address', ['--checkpoints', 'http://']],
  ])('is 2 on wrong usage: %s', async (_, args) => {
    expect(await run(...args)).toMatchObject({ exitCode: 2, out: '' });
  });

  it.each([
    ['an unreachable database', () => 'postgres://florin@127.0.0.1:1/florin', /cannot be reached at 127\.0\.0\.1:1/],
    [
      'another database',
      () => ledger.environment.DATABASE_URL.replace(/\/test_\w+/, '/postgres'),
      /no Florin in the database/,
    ],
    [
      'a missing database',
      () => ledger.environment.DATABASE_URL.replace(/\/test_\w+/, '/none'),
      /database "none" does not exist/,
    ],
  ])('is 3 with %s', async (_, url, reason) => {
    const { exitCode, out, err } = await runCommand([command], { DATABASE_URL: url() });
    expect({ exitCode, out }).toEqual({ exitCode: 3, out: '' });
    expect(err).toMatch(reason);
  });

  it('is 3 if the sink cannot be read', async () => {
    const { exitCode, err } = await run('--checkpoints', join(folder, 'none.jsonl'));
    expect(exitCode).toBe(3);
    expect(err).toMatch(/The checkpoints at \S+ cannot be read/);
  });

  it('is 3 if its user may not read the log, and the reason is in the JSON', async () => {
    await ledger.pool.query(`CREATE ROLE ${ledger.connection.database} LOGIN`);
    try {
      const url = ledger.environment.DATABASE_URL.replace(/\/\/\w+@/, `//${ledger.connection.database}@`);
      const { exitCode, out, err } = await runCommand([command, '--json'], { DATABASE_URL: url });
      expect({ exitCode, out }).toEqual({ exitCode: 3, out: '' });
      expect((JSON.parse(err) as { error: object }).error).toEqual({
        message: expect.stringMatching(/permission denied|There is no Florin/) as string,
      });
    } finally {
      await ledger.pool.query(`DROP ROLE ${ledger.connection.database}`);
    }
  });

  it('is 3 if the log cannot be read to its end', async () => {
    await ledger.pool.query('ALTER TABLE event_store.events RENAME COLUMN metadata TO hidden');
    const { exitCode, err } = await run();
    await ledger.pool.query('ALTER TABLE event_store.events RENAME COLUMN hidden TO metadata');
    expect(exitCode).toBe(3);
    expect(err).toMatch(/Error: The log could not be read to its end: column .*metadata/);
  });

  it('is 3 after an interruption, which ends it at once', async () => {
    const tx = await ledger.pool.connect();
    await tx.query('BEGIN; LOCK TABLE event_store.events');
    const running = new RunningCommand([command], ledger.environment);
    const waiting = `SELECT FROM pg_locks WHERE NOT granted AND relation = 'event_store.events'::regclass`;
    await until(async () => (await tx.query(waiting)).rowCount !== 0);
    expect(await running.stop()).toBe(3);
    expect(running.err).toBe('Error: Interrupted. There is no result, and nothing was changed.\n');
    await tx.query('ROLLBACK');
    tx.release();
  });

  it('is in its help', async () => {
    const { out } = await runCommand([command, '--help']);
    expect(out).toMatch(/Exit codes: 0 correct, 1 problems found, 2 wrong usage, 3 could not run or was interrupted/);
  });
});

describe.each(commands)('The progress of florin %s', (command) => {
  it('is on stderr, unless --quiet', async () => {
    const { out, err } = await runCommand([command], ledger.environment);
    expect(err).toMatch(
      /^\w+ 15 events, up to position 15 of 15, 100 % of the log(, \d+ events\/s, about 0 s left)?\n/,
    );
    const quiet = await runCommand([command, '--quiet'], ledger.environment);
    expect(quiet).toEqual({ exitCode: 0, out, err: '' });
  });
});

describe.each(commands)('The metrics of florin %s', (command) => {
  const read = () => readFileSync(join(folder, 'florin.prom'), 'utf8');
  const run = (environment = ledger.environment) =>
    runCommand([command, '--metrics', join(folder, 'florin.prom')], environment);

  it('are written to a file, for every outcome', async () => {
    expect(await run()).toMatchObject({ exitCode: 0 });
    expect(read()).toMatch(`# TYPE florin_check_exit_code gauge\nflorin_check_exit_code{command="${command}",`);
    expect(read()).toMatch(/florin_check_exit_code\{.*\} 0\n/);
    expect(read()).toMatch(/florin_check_findings\{.*\} 0\n/);
    expect(read()).toMatch(/florin_check_events\{.*\} 15\n/);
    expect(read()).toMatch(/florin_check_ended_timestamp_seconds\{.*\} \d{10}\n/);
    await tampered(async () => expect(await run()).toMatchObject({ exitCode: 1 }));
    expect(read()).toMatch(/florin_check_exit_code\{.*\} 1\n/);
    expect(read()).toMatch(/florin_check_findings\{.*\} [1-9]/);
    expect(await run({ DATABASE_URL: 'postgres://florin@127.0.0.1:1/florin' })).toMatchObject({ exitCode: 3 });
    expect(read()).toMatch(/florin_check_exit_code\{.*\} 3\n/);
    expect(read()).not.toMatch(/florin_check_findings/);
    expect(readdirSync(folder)).toEqual(['florin.prom']);
  });

  describe('at an address', () => {
    let server: Server;
    let received: string[];
    let status: number;
    beforeEach(async () => {
      [received, status] = [[], 200];
      server = createServer((request, response) => {
        request.on('data', (chunk) => received.push(`${request.method} ${request.url} ${String(chunk)}`));
        request.on('end', () => response.writeHead(status).end());
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    });
    afterEach(() => new Promise((resolve) => server.close(resolve)));

    const push = () => {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics/job/florin`;
      return runCommand([command, '--metrics', url], ledger.environment);
    };

    it('replace the earlier ones', async () => {
      expect(await push()).toMatchObject({ exitCode: 0 });
      expect(received.join('')).toMatch(/^PUT \/metrics\/job\/florin [^]*florin_check_exit_code\{.*\} 0\n/);
    });

    it('do not change the result if they are rejected', async () => {
      status = 500;
      const { exitCode, err } = await push();
      expect(exitCode).toBe(0);
      expect(err).toMatch('The metrics were not written: the address returned 500\n');
    });
  });
});
