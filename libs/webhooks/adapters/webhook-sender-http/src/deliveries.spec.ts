import { createPool } from '@florin/database';
import { createTestDatabase, type TestDatabase } from '@florin/database/testing';
import { PostgresDeliveryQueue } from '@florin/delivery-queue-postgres';
import { type CommandMessage, noBackoff, type SubscriptionLog } from '@florin/event-sourcing';
import { manualClock } from '@florin/kernel';
import { EndpointDisabler, WebhookDispatcher, type WebhooksOptions } from '@florin/webhooks-application';
import { isSigned, QueueFixture, Receiver } from '@florin/webhooks-application/testing';
import { HttpWebhookSender } from './http-webhook-sender.adapter';

// The machine may be busy with other suites.
jest.setTimeout(30_000);

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
const clock = manualClock('2030-01-01T00:00:00.000Z');

describe('deliveries over HTTP', () => {
  let database: TestDatabase;
  let pool: ReturnType<typeof createPool>;
  let queue: QueueFixture;
  let receiver: Receiver;
  let sender: HttpWebhookSender;
  let impatient: HttpWebhookSender;
  const commands: CommandMessage[] = [];
  const lines: string[] = [];
  const write = (_: object, message: string): void => void lines.push(message);
  const log: SubscriptionLog = { info: () => undefined, warn: write, error: write };

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = createPool(database.connection, { max: 10 });
    queue = new QueueFixture(pool);
    sender = new HttpWebhookSender({ clock, allowLoopback: true, timeoutMs: 60_000 });
    impatient = new HttpWebhookSender({ clock, allowLoopback: true, timeoutMs: 200 });
  });
  beforeEach(async () => {
    receiver = await Receiver.start();
    await queue.empty();
    clock.set('2030-01-01T00:00:00.000Z');
    commands.length = lines.length = 0;
  });
  afterEach(() => receiver.close());
  afterAll(async () => {
    await Promise.all([sender.close(), impatient.close()]);
    await pool.end();
    await database.drop();
  });

  const bus = {
    request: async <Reply>(message: CommandMessage): Promise<Reply> => {
      commands.push(message);
      return { ok: true, repeated: false, answer: null } as Reply;
    },
    send: async () => undefined,
  };
  const queueOfReplica = (): PostgresDeliveryQueue => new PostgresDeliveryQueue(pool, { ...database.connection });
  const dispatcherWith = (
    options: Partial<WebhooksOptions> = {},
    { through = sender, deliveries = queueOfReplica() } = {},
  ): WebhookDispatcher => {
    const all: WebhooksOptions = { log, random: () => 0.5, ...options };
    return new WebhookDispatcher(deliveries, through, new EndpointDisabler(bus, clock, all), clock, all);
  };

  it('sends the body as it is, signed at this moment, and stores that it was acknowledged', async () => {
    const endpoint = await queue.addEndpoint(receiver.url('ok'));
    const [id] = await queue.addDeliveries([endpoint], 1, clock.now());
    await dispatcherWith().deliverDue();
    const [received] = receiver.received;
    expect(received).toMatchObject({
      eventId: (JSON.parse(received!.body) as { id: string }).id,
      headers: { 'content-type': 'application/json', 'user-agent': 'Florin-Webhooks/1' },
    });
    expect(isSigned(received!, endpoint.secret, clock.now())).toBe(true);
    expect(await queue.deliveries([id!])).toMatchObject([
      { status: 'delivered', attempts: 1, lastStatusCode: 200, lastError: null },
    ]);
    expect(await queue.attempts(id!)).toEqual([]);
    await dispatcherWith().deliverDue();
    expect(receiver.received).toHaveLength(1);
  });

  it('tries ten times on schedule, always with the same id and body and a signature of that moment, and then fails', async () => {
    const endpoint = await queue.addEndpoint(receiver.url('wrong'));
    const [id] = await queue.addDeliveries([endpoint], 1, clock.now());
    const dispatcher = dispatcherWith();
    const pauses = [0, 5_000, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour];
    for (const [index, pause] of pauses.entries()) {
      clock.advance(pause - 1);
      await dispatcher.deliverDue();
      expect(receiver.received).toHaveLength(index);
      clock.advance(1);
      await dispatcher.deliverDue();
      expect(receiver.received).toHaveLength(index + 1);
      expect(isSigned(receiver.received[index]!, endpoint.secret, clock.now())).toBe(true);
    }
    clock.advance(30 * day);
    await dispatcher.deliverDue();
    expect(receiver.received).toHaveLength(10);
    expect(new Set(receiver.received.map(({ eventId, body }) => eventId + body)).size).toBe(1);
    expect(await queue.deliveries([id!])).toMatchObject([{ status: 'failed', attempts: 10, lastStatusCode: 500 }]);
    expect(await queue.attempts(id!)).toHaveLength(10);
  });

  it.each(['hang', 'drip', 'dripHeaders', 'reset', 'redirect', 'wrong', 'breakOff'] as const)(
    'tries again after a receiver that did: %s',
    async (answer) => {
      const endpoint = await queue.addEndpoint(receiver.url(answer));
      const [id] = await queue.addDeliveries([endpoint], 1, clock.now());
      await dispatcherWith({}, { through: impatient }).deliverDue();
      expect(await queue.deliveries([id!])).toMatchObject([
        { status: 'pending', attempts: 1, nextAttemptAt: new Date(clock.now().getTime() + 5_000) },
      ]);
      receiver.instead.set(`/${answer}`, 'ok');
      clock.advance(5_000);
      await dispatcherWith().deliverDue();
      expect(await queue.deliveries([id!])).toMatchObject([{ status: 'delivered', attempts: 2 }]);
      expect(new Set(receiver.received.map(({ eventId }) => eventId)).size).toBe(1);
    },
  );

  it('delivers to a receiver that comes back after a day', async () => {
    const endpoint = await queue.addEndpoint(receiver.url('reset'));
    const ids = await queue.addDeliveries([endpoint], 5, clock.now());
    const dispatcher = dispatcherWith();
    for (let passed = 0; passed < 24; passed++, clock.advance(hour)) await dispatcher.deliverDue();
    expect((await queue.deliveries(ids)).every(({ status }) => status === 'pending')).toBe(true);
    receiver.instead.set('/reset', 'ok');
    for (let passed = 24; passed < 48; passed++, clock.advance(hour)) await dispatcher.deliverDue();
    expect((await queue.deliveries(ids)).every(({ status }) => status === 'delivered')).toBe(true);
    expect(commands).toEqual([]);
  });

  it('waits as long as a busy receiver asks', async () => {
    const endpoint = await queue.addEndpoint(receiver.url('busy'));
    const [id] = await queue.addDeliveries([endpoint], 1, clock.now());
    await dispatcherWith().deliverDue();
    expect(await queue.deliveries([id!])).toMatchObject([
      { nextAttemptAt: new Date(clock.now().getTime() + 2 * hour) },
    ]);
  });

  it('signs with all secrets that are valid, and with none that is not any more', async () => {
    const endpoint = await queue.addEndpoint(receiver.url('ok'));
    const newest = await queue.addSecret(endpoint.id, 'whsec_new');
    const old = await queue.addSecret(endpoint.id, 'whsec_old');
    const until = new Date(clock.now().getTime() + day).toISOString();
    await pool.query('UPDATE webhooks.endpoints SET secrets = $1', [
      JSON.stringify([{ id: newest }, { id: old, until }]),
    ]);
    const dispatcher = dispatcherWith();
    await queue.addDeliveries([endpoint], 1, clock.now());
    await dispatcher.deliverDue();
    const signedBy = (index: number): string[] =>
      ['whsec_new', 'whsec_old', endpoint.secret].filter((secret) =>
        isSigned(receiver.received[index]!, secret, clock.now()),
      );
    expect(receiver.received[0]!.signature).toMatch(/^t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/);
    expect(signedBy(0)).toEqual(['whsec_new', 'whsec_old']);
    clock.advance(day);
    await queue.addDeliveries([endpoint], 1, clock.now());
    await dispatcher.deliverDue();
    expect(signedBy(1)).toEqual(['whsec_new']);
  });

  it('has an endpoint disabled that says it is gone, and tells of the answer', async () => {
    const endpoint = await queue.addEndpoint(receiver.url('gone'));
    const [id] = await queue.addDeliveries([endpoint], 1, clock.now());
    await dispatcherWith().deliverDue();
    expect(commands).toMatchObject([
      {
        context: 'webhooks',
        key: endpoint.accountId,
        command: {
          type: 'DisableEndpoint',
          data: {
            accountId: endpoint.accountId,
            endpointId: endpoint.id,
            reason: 'gone',
            now: clock.now().toISOString(),
          },
        },
      },
    ]);
    expect(await queue.deliveries([id!])).toMatchObject([{ lastStatusCode: 410, attempts: 1 }]);
  });

  it('has an endpoint disabled after five days without a success, and not a moment sooner', async () => {
    const endpoint = await queue.addEndpoint(receiver.url('wrong'));
    const dispatcher = dispatcherWith();
    const tryOne = async (): Promise<void> => {
      await queue.addDeliveries([endpoint], 1, clock.now());
      await dispatcher.deliverDue();
    };
    await tryOne();
    clock.advance(4 * day);
    receiver.instead.set('/wrong', 'ok');
    await tryOne();
    receiver.instead.clear();
    clock.advance(hour);
    await tryOne();
    clock.advance(5 * day - 1);
    await tryOne();
    expect(commands).toEqual([]);
    clock.advance(1);
    await tryOne();
    expect(commands).toMatchObject([{ command: { data: { endpointId: endpoint.id, reason: 'failing' } } }]);
  });

  it('is not held up by endpoints that hang', async () => {
    const hanging = await Promise.all(Array.from({ length: 20 }, () => queue.addEndpoint(receiver.url('hang'))));
    const healthy = await Promise.all(Array.from({ length: 5 }, () => queue.addEndpoint(receiver.url('ok'))));
    await queue.addDeliveries(hanging, 50, clock.now());
    const dispatcher = dispatcherWith({ dispatcher: { slots: 16, perEndpoint: 4, slowMs: 20, graceMs: 0 } });
    dispatcher.start();
    // Every one of those that hang has been found out by then; with as many slots as there are, none would be left.
    await receiver.untilReceived(20);
    await queue.addDeliveries(healthy, 100, clock.now());
    while (receiver.at('ok').length < 500) await receiver.untilReceived(receiver.received.length + 1);
    // None of them had more than one of its deliveries under way.
    expect(receiver.at('hang')).toHaveLength(20);
    await dispatcher.stop();
    expect(lines).toEqual([]);
    const { rows } = await pool.query('SELECT 1 FROM webhooks.endpoint_claims WHERE claimed_by IS NOT NULL');
    expect(rows).toEqual([]);
  });

  it('delivers each once when two replicas work on one queue', async () => {
    const endpoints = await Promise.all(Array.from({ length: 8 }, () => queue.addEndpoint(receiver.url('ok'))));
    const replicas = [dispatcherWith(), dispatcherWith()];
    for (const replica of replicas) replica.start();
    for (let round = 0; round < 5; round++) await queue.addDeliveries(endpoints, 40, clock.now());
    await receiver.untilReceived(1_600);
    for (const replica of replicas) await replica.stop();
    expect(await queue.countPending()).toBe(0);
    expect(receiver.received).toHaveLength(1_600);
    expect(new Set(receiver.received.map(({ eventId }) => eventId)).size).toBe(1_600);
    expect(lines).toEqual([]);
  });

  it('takes over from a replica that has died as soon as its claim ends, and lets it change nothing any more', async () => {
    const endpoint = await queue.addEndpoint(receiver.url('hang'));
    const ids = await queue.addDeliveries([endpoint], 20, clock.now());
    const dying = queueOfReplica();
    // It hears of nothing any more and stores nothing, as if its process were stopped in the midst of its attempts.
    const settle = dying.settle.bind(dying);
    const late: Parameters<typeof settle>[0][number][] = [];
    dying.settle = async (batch) => {
      late.push(...batch);
      return [];
    };
    const died = dispatcherWith({}, { through: impatient, deliveries: dying });
    await died.deliverDue();
    expect(late).not.toEqual([]);
    receiver.instead.set('/hang', 'ok');
    const before = receiver.received.length;
    clock.advance(minute - 1);
    await dispatcherWith().deliverDue();
    expect(receiver.received).toHaveLength(before);
    clock.advance(1);
    const survivor = dispatcherWith();
    await survivor.deliverDue();
    expect(new Set(receiver.received.slice(before).map(({ eventId }) => eventId)).size).toBe(20);
    await settle(late);
    expect((await queue.deliveries(ids)).map(({ status, attempts }) => [status, attempts])).toEqual(
      Array(20).fill(['delivered', 1]),
    );
    expect(await queue.attempts(late[0]!.delivery.id)).toEqual([]);
  });

  it('does not send what it could not send in time, and leaves it to whoever claims it next', async () => {
    const endpoint = await queue.addEndpoint(receiver.url('ok'));
    const [id] = await queue.addDeliveries([endpoint], 1, clock.now());
    const deliveries = queueOfReplica();
    const claim = deliveries.claim.bind(deliveries);
    // The claim takes so long that hardly anything is left of it.
    deliveries.claim = async (wish) => {
      const claimed = await claim(wish);
      clock.advance(50_000);
      return claimed;
    };
    await dispatcherWith({}, { deliveries }).deliverDue();
    expect(receiver.received).toEqual([]);
    clock.advance(10_000);
    await dispatcherWith().deliverDue();
    expect(await queue.deliveries([id!])).toMatchObject([{ status: 'delivered', attempts: 1 }]);
  });

  it('goes on when the queue could not be reached for a while', async () => {
    const endpoint = await queue.addEndpoint(receiver.url('ok'));
    const deliveries = queueOfReplica();
    let failures = 3;
    const failing = <Args extends unknown[], Result>(call: (...args: Args) => Promise<Result>) => {
      return (...args: Args) => (failures-- > 0 ? Promise.reject(new Error('no database')) : call(...args));
    };
    deliveries.claim = failing(deliveries.claim.bind(deliveries));
    const settle = deliveries.settle.bind(deliveries);
    let settles = 0;
    deliveries.settle = (batch) => (settles++ === 0 ? Promise.reject(new Error('no database')) : settle(batch));
    const dispatcher = dispatcherWith({ backoff: noBackoff }, { deliveries });
    dispatcher.start();
    const ids = await queue.addDeliveries([endpoint], 3, clock.now());
    await receiver.untilReceived(3);
    await dispatcher.stop();
    expect((await queue.deliveries(ids)).map(({ status, attempts }) => [status, attempts])).toEqual(
      Array(3).fill(['delivered', 1]),
    );
    expect(new Set(lines)).toEqual(
      new Set([
        'Could not take webhook deliveries from the queue; trying again',
        'Could not store how webhook deliveries went; trying again',
      ]),
    );
  });
});
