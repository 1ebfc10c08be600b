import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { type Account, codeOf, expectBody, type Operation } from './harness/account';
import { EventLog } from './harness/event-log';
import { Florin, runCliBeside } from './harness/florin';
import { Inbox } from './harness/inbox';
import { Operator } from './harness/operator';
import { service, topup } from './harness/orders';
import { Receiver } from './harness/receiver';
import { until } from './harness/until';

const env = { LOG_LEVEL: 'warn', RATE_LIMIT_SANDBOX: '0', WEBHOOK_ALLOW_LOOPBACK: 'true' };

/** apps/cli/src/archive.spec.ts compares what verify, audit, explain, export and replay return before and after. */
describe('an archive beside a running Florin', () => {
  let florin: Florin;
  let log: EventLog;
  let receiver: Receiver;
  let account: Account;
  let holderId: string;
  let cardId: string;
  /** The ids of completed operations by their idempotency key. */
  const operations = new Map<string, string>();
  /** Payments of 30.00 each. */
  const payments = { authorized: '', cleared: '' };

  beforeAll(async () => {
    receiver = await Receiver.start();
    const first = await Florin.start({ env });
    const { dataDirectory } = first;
    const before = await new Operator(first).newAccount('10000.00');
    holderId = await before.newHolder();
    cardId = await before.newCard(holderId, '100');
    const pay = async (capture: boolean): Promise<string> => {
      const body = { cardId, amount: '30', merchant: 'Coffee House', capture };
      return expectBody<{ id: string }>(await before.post('/api/v1/sandbox/transactions', body), 201).id;
    };
    payments.authorized = await pay(false);
    payments.cleared = await pay(true);
    for (const key of ['cached', 'not-cached', 'newest']) {
      const { id } = expectBody<Operation>(await before.operate(service(), key), 201);
      operations.set(key, id);
      expect((await before.untilEnded(id)).status).toBe('completed');
    }
    // After a restart, no state is in memory.
    expect(await first.stop()).toBe(0);
    florin = await Florin.start({ dataDirectory, env });
    account = before.movedTo(florin.baseUrl);
    log = new EventLog(florin);
    expectBody<Operation>(await account.operate(service(), 'cached'), 201);
    const archivable = `SELECT 'yes' AS text FROM event_store.events
      WHERE stream = $1 HAVING max(position) <= event_store.archivable_to()`;
    await until(
      'the operations except the newest can be archived',
      () => textOf(archivable, `operation-${operations.get('not-cached')}`),
      (isArchivable) => isArchivable === 'yes',
    );
    expect(await run('archive', '--older-than', '0d')).toMatchObject({ files: 1, streams: 5, unrecorded: [] });
  });

  afterAll(async () => {
    await log.close();
    expect(await florin.stop()).toBe(0);
    florin.removeData();
    await receiver.close();
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

  it('recognizes old requests, and lets new operations go on', async () => {
    for (const key of ['cached', 'not-cached']) {
      const repeated = await account.operate(service(), key);
      expect(repeated.headers.get('idempotent-replayed')).toBe('true');
      const { id } = expectBody<Operation>(repeated, 201);
      expect(id).toBe(operations.get(key));
      expect(await account.operation(id)).toMatchObject({ id, status: 'completed' });
      expect((await account.operate(topup(cardId, '10.00'), key)).status).toBe(409);
      expect(await liveEvents(`operation-${id}`)).toBe('0');
    }
    expect((await account.outcomeOf(topup(cardId, '10.00'))).status).toBe('completed');
    expect((await account.outcomeOf(service())).status).toBe('completed');
  });

  it('leaves a late clearing and a refund of archived payments as they were', async () => {
    const report = (id: string, verb: string, amount: string) =>
      account.post(`/api/v1/sandbox/transactions/${id}/${verb}`, { amount });
    const before = await account.card(cardId);
    expect(expectBody(await report(payments.authorized, 'clear', '20'), 200)).toMatchObject({
      ...{ id: payments.authorized, status: 'completed', clearedAmount: '20.00' },
    });
    const refund = expectBody<{ id: string }>(await report(payments.cleared, 'refund', '30'), 201);
    expect(refund).toMatchObject({ type: 'refund', status: 'completed', amount: '30.00' });
    expect(codeOf(await report(payments.cleared, 'refund', '1'))).toEqual([409, 'idempotency_conflict']);
    const cents = ({ balance, available }: typeof before) => [balance, available].map((amount) => Number(amount) * 100);
    const [balance, available] = cents(before);
    // 30.00 were reserved for the clearing of 20.00.
    expect(cents(await account.card(cardId))).toEqual([balance! - 2_000 + 3_000, available! + 1_000 + 3_000]);
    for (const id of Object.values(payments)) expect(await liveEvents(`transaction-${id}`)).toBe('0');
  });

  it('does not prevent a recovery of webhooks about archived operations', async () => {
    const inbox = await Inbox.open(account, receiver, { events: ['operation.completed'] });
    expectBody(await inbox.call('recover', { since: new Date(Date.now() - 3_600_000).toISOString() }), 202);
    const id = operations.get('not-cached');
    const arrived = await until(
      'the webhook about the archived operation has arrived',
      async () => inbox.events.find(({ data }) => data.object['id'] === id),
      (event) => event !== undefined,
    );
    expect(arrived).toMatchObject({ type: 'operation.completed', data: { object: { status: 'completed' } } });
  });

  it('does not prevent the erasure of a holder', async () => {
    const operator = new Operator(florin);
    expectBody(await operator.post(`/operator/v1/holders/${holderId}/erase`), 200);
    expect(expectBody(await operator.get(`/operator/v1/holders/${holderId}/erasure`), 200)).toMatchObject({
      ...{ holderId, sealedTexts: 1, readableTexts: 0, hashChain: { isValid: true } },
    });
    const folder = join(florin.dataDirectory, 'archive');
    const [file] = readdirSync(folder);
    const content = readFileSync(join(folder, file!));
    const events = gunzipSync(content.subarray(content.indexOf('\n') + 1)).toString();
    expect(events).toContain(`operation-${operations.get('cached')}`);
    expect(events).not.toMatch(/edith/i);
  });

  it('can be verified and audited with all that followed', async () => {
    expect(await run('verify', '--checkpoints', 'stored')).toMatchObject({ archive: { files: 1, problems: [] } });
    expect(await run('audit')).toMatchObject({ flaws: [] });
  });
});
