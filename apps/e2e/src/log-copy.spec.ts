import { describeWithEventStoreDb, EVENTSTOREDB_TIMEOUT_MS, startTestEventStoreDb } from '@florin/dev-platform/testing';
import { EventStoreDbEventStore } from '@florin/event-store-eventstoredb';
import type { WebhookEvent } from '@florin/webhook-verifier';
import { type Account, expectBody, type Operation } from './harness/account';
import { Florin, runCli, runCliBeside, runToEnd } from './harness/florin';
import { everyPage, Inbox } from './harness/inbox';
import { Operator } from './harness/operator';
import { service } from './harness/orders';
import { Receiver } from './harness/receiver';
import { composition } from './harness/running-florin';
import { until } from './harness/until';

const includesAll = (wanted: readonly string[]) => (ids: readonly string[]) => wanted.every((id) => ids.includes(id));

describeWithEventStoreDb('a log that is moved to EventStoreDB', () => {
  let eventStore: Awaited<ReturnType<typeof startTestEventStoreDb>>;
  let receiver: Receiver;
  let florin: Florin;
  let account: Account;
  let inbox: Inbox;

  const env = { WEBHOOK_ALLOW_LOOPBACK: 'true', RATE_LIMIT_SANDBOX: '0', LOG_LEVEL: 'warn' };
  const moved = () => ({ EVENT_STORE: 'eventstoredb', EVENTSTORE_URL: eventStore.server.url });
  const folder = () => ({ FLORIN_DATA_DIR: florin.dataDirectory });

  beforeAll(async () => {
    [eventStore, receiver] = await Promise.all([startTestEventStoreDb('--mem-db'), Receiver.start()]);
    florin = await Florin.start({ env });
    account = await new Operator(florin).newAccount('10000.00');
    inbox = await Inbox.open(account, receiver);
  }, 2 * EVENTSTOREDB_TIMEOUT_MS);

  afterAll(async () => {
    await florin.stop();
    florin.removeData();
    await Promise.all([eventStore.remove(), receiver.close()]);
  });

  const events = () => everyPage<WebhookEvent>(account, '/api/v1/events?limit=100');
  /** The ids of the webhook events in the order in which they arrived. */
  const received = () => inbox.received.map(({ body }) => (JSON.parse(String(body)) as WebhookEvent).id);

  /** Resolves when the server has the first event. */
  async function begun(): Promise<void> {
    const store = new EventStoreDbEventStore(eventStore.server.url);
    await until(
      'the copy has begun',
      () => store.head(),
      (head) => head > 0n,
    ).finally(() => store.close());
  }

  it('survives a SIGKILL of the copy, and Florin continues there without sending anything twice', async () => {
    const before = expectBody<Operation>(await account.operate(service(), 'before'), 201);
    await account.untilEnded(before.id);
    const published = (await events()).map(({ id }) => id);
    await until('all webhooks are delivered', async () => received(), includesAll(published));
    const balance = await account.balance();
    expect(await florin.stop()).toBe(0);

    const copy = ['log', 'copy', '--from', 'postgres', '--to', 'eventstoredb', '--json'];
    const copied = { ...folder(), EVENTSTORE_URL: eventStore.server.url };
    await runCliBeside(copy, copied, begun(), 'SIGKILL');
    const { code, out, err } = await runCliBeside(copy, copied);
    expect({ code, out: JSON.parse(out) as unknown, err }).toMatchObject({ code: 0, out: { to: 'eventstoredb' } });

    const delivered = received().length;
    florin = await Florin.start({ dataDirectory: florin.dataDirectory, env: { ...env, ...moved() } });
    account = account.movedTo(florin.baseUrl, true);
    expect(await account.balance()).toEqual(balance);
    expect((await account.operate(service(), 'before')).headers.get('idempotent-replayed')).toBe('true');
    expect((await account.outcomeOf(service())).status).toBe('completed');
    const all = (await events()).map(({ id }) => id);
    expect(all).toEqual(expect.arrayContaining(published));
    const added = all.filter((id) => !published.includes(id));
    expect(added.length).toBeGreaterThan(0);
    await until('new webhooks are delivered', async () => received(), includesAll(added));
    expect(
      received()
        .slice(delivered)
        .filter((id) => published.includes(id)),
    ).toEqual([]);
  });

  it('has correct books and read models, and the old store is refused', async () => {
    expect(await florin.stop()).toBe(0);
    const current = { ...folder(), ...moved() };
    expect(runCli(['verify', '--checkpoints', 'stored', '--json'], current)).toMatchObject({
      broken: [],
      evidence: { findings: [] },
    });
    expect(runCli(['audit', '--json'], current)).toMatchObject({ flaws: [] });
    if (composition === 'cluster') return;
    const { code, output } = await runToEnd({ ...env, ...folder(), PORT: '0' });
    expect(code).toBe(1);
    expect(output).toContain('The events of this database are stored in eventstoredb, but EVENT_STORE is postgres.');
  });
});
