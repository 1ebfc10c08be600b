import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Account, expectBody, type Operation } from './harness/account';
import { EventLog } from './harness/event-log';
import { Florin, runCliBeside } from './harness/florin';
import { Operator } from './harness/operator';
import { service, topup } from './harness/orders';
import { until } from './harness/until';

describe('an archive beside a running Florin', () => {
  const folder = mkdtempSync(join(tmpdir(), 'florin-archive-e2e-'));
  let florin: Florin;
  let log: EventLog;
  let account: Account;
  let cardId: string;
  /** The ids of completed operations by their idempotency key. */
  const operations = new Map<string, string>();

  beforeAll(async () => {
    const first = await Florin.start({ env: { LOG_LEVEL: 'warn', RATE_LIMIT_SANDBOX: '0' } });
    const { dataDirectory } = first;
    const before = await new Operator(first).newAccount('10000.00');
    cardId = await before.newCard(await before.newHolder());
    for (const key of ['cached', 'not-cached', 'newest']) {
      const { id } = expectBody<Operation>(await before.operate(service(), key), 201);
      operations.set(key, id);
      expect((await before.untilEnded(id)).status).toBe('completed');
    }
    // After a restart, no state is in memory.
    expect(await first.stop()).toBe(0);
    florin = await Florin.start({ dataDirectory, env: { LOG_LEVEL: 'warn', RATE_LIMIT_SANDBOX: '0' } });
    account = before.movedTo(florin.baseUrl);
    log = new EventLog(florin);
  });

  afterAll(async () => {
    await log.close();
    expect(await florin.stop()).toBe(0);
    florin.removeData();
    rmSync(folder, { recursive: true });
  });

  const run = async (...args: readonly string[]): Promise<Record<string, unknown>> => {
    const { code, out, err } = await runCliBeside([...args, '--json'], { FLORIN_DATA_DIR: florin.dataDirectory });
    if (code !== 0) throw new Error(`${args.join(' ')} exited with ${code}: ${out}${err}`);
    return JSON.parse(out) as Record<string, unknown>;
  };

  const textOf = async (sql: string, ...values: readonly unknown[]): Promise<string | undefined> =>
    (await log.query<{ text: string }>(sql, ...values))[0]?.text;
  const liveEvents = (stream: string) =>
    textOf('SELECT count(*)::text AS text FROM event_store.events WHERE stream = $1', stream);

  it('keeps every result, recognizes old requests, and lets new operations go on', async () => {
    const repeat = async (key: string, order: object = service()) => account.operate(order, key);
    const original = expectBody<Operation>(await repeat('cached'), 201);
    const head = await textOf('SELECT max(position)::text AS text FROM event_store.events');
    const signed = 'SELECT max(position)::text AS text FROM event_store.log_checkpoints';
    const readers = async (name: string): Promise<unknown> => {
      await run('audit', '--as-of', head!, '--out', join(folder, name));
      const files = readdirSync(join(folder, name)).map((file) => readFileSync(join(folder, name, file), 'utf8'));
      return { files, explained: await run('explain', 'operation', original.id) };
    };
    await until(
      'the log is signed',
      () => textOf(signed),
      (position) => position === head,
    );
    const before = await readers('before');
    const archived = await run('archive', '--older-than', '0d');
    expect(archived).toMatchObject({ files: 1, streams: 3, unrecorded: [] });
    expect(await liveEvents(`operation-${original.id}`)).toBe('0');

    for (const key of ['cached', 'not-cached']) {
      const repeated = await repeat(key);
      expect(repeated.headers.get('idempotent-replayed')).toBe('true');
      const { id } = expectBody<Operation>(repeated, 201);
      expect(id).toBe(operations.get(key));
      expect(await account.operation(id)).toMatchObject({ id, status: 'completed' });
      expect((await repeat(key, topup(cardId, '10.00'))).status).toBe(409);
      expect(await liveEvents(`operation-${id}`)).toBe('0');
    }
    expect((await account.outcomeOf(topup(cardId, '10.00'))).status).toBe('completed');
    expect((await account.outcomeOf(service())).status).toBe('completed');

    expect(await readers('after')).toEqual(before);
    expect(await run('verify', '--checkpoints', 'stored')).toMatchObject({ archive: { files: 1, problems: [] } });
    await run('replay');
    expect(await run('audit')).toMatchObject({ flaws: [] });
  });
});
