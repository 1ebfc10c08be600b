import { ManagedProcess } from '@florin/dev-platform';
import { IssuerSimulator } from '@florin/issuer-simulator';
import type { WebhookEvent } from '@florin/webhook-verifier';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Account, expectBody } from './harness/account';
import { EventLog } from './harness/event-log';
import { Florin, runCliBeside } from './harness/florin';
import { inheritedEnv, root } from './harness/florin-process';
import { everyPage, Inbox } from './harness/inbox';
import { Operator } from './harness/operator';
import { issue, service, topup } from './harness/orders';
import { Receiver } from './harness/receiver';
import { until } from './harness/until';

const secret = 'a-secret-shared-with-the-issuer';

describe('a replay beside a running Florin', () => {
  const folder = mkdtempSync(join(tmpdir(), 'florin-replay-'));
  let receiver: Receiver;
  let issuer: IssuerSimulator;
  let florin: Florin;
  let log: EventLog;
  let account: Account;
  let inbox: Inbox;
  let cardId: string;
  let operations = 0;

  beforeAll(async () => {
    receiver = await Receiver.start();
    issuer = await IssuerSimulator.start({ secret, journal: join(folder, 'journal') });
    const webhooks = { WEBHOOK_ALLOW_LOOPBACK: 'true' };
    const env = {
      ...webhooks,
      ISSUER_URL: issuer.url,
      ISSUER_SECRET: secret,
      RATE_LIMIT_SANDBOX: '0',
      LOG_LEVEL: 'warn',
    };
    florin = await Florin.start({ env });
    log = new EventLog(florin);
    const operator = new Operator(florin);
    account = await operator.newAccount('1000000.00');
    inbox = await Inbox.open(account, receiver);
    receiver.respondAt(inbox.path, { status: 500 });
    const { id } = expectBody<{ id: string }>(await inbox.call('test'), 202);
    await inbox.untilDelivery(id, ({ attempts }) => attempts === 1);
    receiver.respondAt(inbox.path, { status: 204 });
    cardId = await account.newCard(await account.newHolder());
    const companyId = await operator.newCompany({ activations: ['services'] });
    await log.settleLiveInvoice(companyId, '500.00');
    const live = await operator.newKey(companyId, 'live');
    const holderId = await live.newHolder();
    expectBody(await operator.post(`/operator/v1/holders/${holderId}/status`, { status: 'active' }), 200);
    expect((await live.outcomeOf(issue(holderId, '100'))).status).toBe('completed');
  });

  afterAll(async () => {
    await log.close();
    expect(await florin.stop()).toBe(0);
    await issuer.close();
    await receiver.close();
    florin.removeData();
    rmSync(folder, { recursive: true });
  });

  const run = async (...args: readonly string[]): Promise<unknown> => {
    const { code, out, err } = await runCliBeside([...args, '--json'], { FLORIN_DATA_DIR: florin.dataDirectory });
    if (code !== 0) throw new Error(`${args.join(' ')} exited with ${code}: ${out}${err}`);
    return JSON.parse(out);
  };

  /** The deliveries and their failed attempts. */
  const history = () =>
    Promise.all(
      ['deliveries', 'attempts'].map((table) => log.query(`SELECT * FROM webhooks.${table} ORDER BY 1, 2, 3`)),
    );
  const events = () => everyPage<WebhookEvent>(account, '/api/v1/events?limit=100');

  it('replaces all read models while requests are served, and a replay and an audit agree', async () => {
    await log.query(`UPDATE read_models.cards SET balance = 999999`);
    let isOver = false;
    const load = (async (): Promise<void> => {
      for (; !isOver; operations += 2) {
        const { id } = await account.order(topup(cardId, '10.00'));
        expect((await account.operation(id)).id).toBe(id);
        await account.order(service());
        expect((await account.fund('50')).status).toBe(201);
        await account.card(cardId);
      }
    })();
    try {
      for (let round = 0; round < 2; round++) {
        await run('replay');
        await run('replay', '--drop-old');
      }
    } finally {
      isOver = true;
      await load;
    }
    expect(operations).toBeGreaterThan(0);
    const { data } = await account.list<{ readonly id: string }>('/api/v1/operations?limit=100');
    for (const { id } of data) await account.untilEnded(id);
    expect(await run('audit')).toMatchObject({ flaws: [] });
  });

  it('sends no webhook, calls no issuer, appends no event, and keeps the delivery history', async () => {
    const sent = await inbox.untilSettled();
    const before = {
      ...{ sent, events: await events(), journal: receiver.journal.length, calls: issuer.calls.length },
      head: await log.query('SELECT max(position) FROM event_store.events'),
      history: await history(),
    };
    expect(before.calls).toBe(1);
    expect(before.history.map(({ length }) => length > 0)).toEqual([true, true]);
    await run('replay', '--workers', '3');
    // The next change is delivered after everything that the replay could have caused.
    expectBody(await account.post(`/api/v1/cards/${cardId}/freeze`), 200);
    const [newest, ...rest] = await events();
    expect(rest).toEqual(before.events);
    expect(await inbox.untilArrived(newest!.id)).toEqual(newest);
    const [delivery, ...others] = await inbox.untilSettled();
    expect([delivery!.eventId, others]).toEqual([newest!.id, sent]);
    expect(receiver.journal).toHaveLength(before.journal + 1);
    expect(issuer.calls).toHaveLength(before.calls);
    const [deliveries, attempts] = await history();
    expect(deliveries).toEqual(expect.arrayContaining(before.history[0]!));
    expect(deliveries).toHaveLength(before.history[0]!.length + 1);
    expect(attempts).toEqual(before.history[1]);
    const [{ count } = { count: 0 }] = await log.query<{ count: number }>(
      'SELECT count(*)::int AS count FROM event_store.events WHERE position > $1',
      Object.values(before.head[0]!)[0],
    );
    expect(count).toBe(1);
  });

  it('is interrupted by SIGINT without changes, and continues', async () => {
    // A read waits until the table has all events.
    await account.list('/api/v1/operations?limit=1');
    const before = await log.query('SELECT * FROM read_models.operations ORDER BY id');
    await run('replay', '--drop-old');
    // A lock keeps the replay from replacing the tables.
    await log.query('BEGIN');
    await log.query('LOCK TABLE read_models.operations IN ACCESS SHARE MODE');
    const printed: string[] = [];
    const replay = new ManagedProcess({
      ...{ command: process.execPath, args: [join(root, 'apps/cli/dist/main.js'), 'replay', 'operations'] },
      env: { ...inheritedEnv(), FLORIN_DATA_DIR: florin.dataDirectory },
      onLine: (line) => printed.push(line),
    });
    const read = () => Promise.resolve(printed.join('\n'));
    await until('the replay waits', read, (text) => text.includes('Waiting for reads') || !replay.isRunning);
    replay.signal('SIGINT');
    await replay.exited;
    await log.query('COMMIT');
    expect(replay.exitCode).toBe(3);
    expect(printed.at(-1)).toBe(
      'Error: Interrupted. The live read models were not changed. The same command continues.',
    );
    expect(await log.query('SELECT * FROM read_models.operations ORDER BY id')).toEqual(before);
    expect(await run('replay', 'operations')).toMatchObject({ readModels: [{ name: 'operations', events: 0 }] });
    expect(await log.query('SELECT * FROM read_models.operations ORDER BY id')).toEqual(before);
  });
});
