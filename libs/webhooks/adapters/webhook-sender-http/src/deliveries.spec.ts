import { createPool } from '@florin/database';
import { createTestDatabase, type TestDatabase } from '@florin/database/testing';
import { PostgresDeliveryQueue } from '@florin/delivery-queue-postgres';
import type { CommandMessage, SubscriptionLog } from '@florin/event-sourcing';
import { noBackoff } from '@florin/event-sourcing/testing';
import { manualClock, testVaultKeys } from '@florin/kernel/testing';
import { EndpointDisabler, WebhookDispatcher, type WebhooksOptions } from '@florin/webhooks-application';
import { isSigned, QueueFixture, Receiver } from '@florin/webhooks-application/testing';
import { HttpWebhookSender } from './http-webhook-sender.adapter';

const secretReading = { keys: testVaultKeys, onUnreadable: () => undefined };

// Other suites may run at the same time.
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
  const queueOfReplica = (): PostgresDeliveryQueue =>
    new PostgresDeliveryQueue(pool, { ...database.connection }, secretReading);
  const dispatcherWith = (
    options: Partial<WebhooksOptions> = {},
    { through = sender, deliveries = queueOfReplica() } = {},
  ): WebhookDispatcher => {
    const all: WebhooksOptions = { log, random: () => 0.5, ...options };
    return new WebhookDispatcher(deliveries, through, new EndpointDisabler(bus, clock, all), clock, all);
  };

  it('sends the unchanged body with a current signature and stores the acknowledgement', async () => {
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

  it('makes ten attempts on schedule with the same id and body and new signatures, then fails', async () => {
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
    'retries after the response %s',
    async (name) => {
      const endpoint = await queue.addEndpoint(receiver.url(name));
      const [id] = await queue.addDeliveries([endpoint], 1, clock.now());
      await dispatcherWith({}, { through: impatient }).deliverDue();
      expect(await queue.deliveries([id!])).toMatchObject([
        { status: 'pending', attempts: 1, nextAttemptAt: new Date(clock.now().getTime() + 5_000) },
      ]);
      receiver.instead.set(`/${name}`, 'ok');
      clock.advance(5_000);
      await dispatcherWith().deliverDue();
      expect(await queue.deliveries([id!])).toMatchObject([{ status: 'delivered', attempts: 2 }]);
      expect(new Set(receiver.received.map(({ eventId }) => eventId)).size).toBe(1);
    },
  );

  it('delivers to an endpoint that recovers after a day', async () => {
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

  it('respects the Retry-After of an endpoint', async () => {
    const endpoint = await queue.addEndpoint(receiver.url('busy'));
    const [id] = await queue.addDeliveries([endpoint], 1, clock.now());
    await dispatcherWith().deliverDue();
    expect(await queue.deliveries([id!])).toMatchObject([
      { nextAttemptAt: new Date(clock.now().getTime() + 2 * hour) },
    ]);
  });

  it('signs with all valid secrets and with no expired one', async () => {
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

  it('disables an endpoint that responds with 410 and logs it', async () => {
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

  it('disables an endpoint after exactly five days without a success', async () => {
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

  it('is not delayed by endpoints that hang', async () => {
    const hanging = await Promise.all(Array.from({ length: 20 }, () => queue.addEndpoint(receiver.url('hang'))));
    const healthy = await Promise.all(Array.from({ length: 5 }, () => queue.addEndpoint(receiver.url('ok'))));
    await queue.addDeliveries(hanging, 50, clock.now());
    const dispatcher = dispatcherWith({ dispatcher: { slots: 16, perEndpoint: 4, slowMs: 20, graceMs: 0 } });
    dispatcher.start();
    // All hanging endpoints are marked as slow by then; otherwise no slot would be free.
    await receiver.untilReceived(20);
    await queue.addDeliveries(healthy, 100, clock.now());
    while (receiver.at('ok').length < 500) await receiver.untilReceived(receiver.received.length + 1);
    // None of them had more than one delivery in flight.
    expect(receiver.at('hang')).toHaveLength(20);
    await dispatcher.stop();
    expect(lines).toEqual([]);
    const { rows } = await pool.query('SELECT 1 FROM webhooks.endpoint_claims WHERE claimed_by IS NOT NULL');
    expect(rows).toEqual([]);
  });

  it('delivers each event once when two replicas share the queue', async () => {
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

  it('takes over from a crashed replica when its claim expires and ignores its late results', async () => {
    const endpoint = await queue.addEndpoint(receiver.url('hang'));
    const ids = await queue.addDeliveries([endpoint], 20, clock.now());
    const dying = queueOfReplica();
    // It receives and stores nothing, as if its process had stopped during its attempts.
    const recordAttempts = dying.recordAttempts.bind(dying);
    const late: Parameters<typeof recordAttempts>[0][number][] = [];
    dying.recordAttempts = async (batch) => {
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
    await recordAttempts(late);
    expect((await queue.deliveries(ids)).map(({ status, attempts }) => [status, attempts])).toEqual(
      Array(20).fill(['delivered', 1]),
    );
    expect(await queue.attempts(late[0]!.delivery.id)).toEqual([]);
  });

  it('does not start attempts shortly before the claim expires', async () => {
    const endpoint = await queue.addEndpoint(receiver.url('ok'));
    const [id] = await queue.addDeliveries([endpoint], 1, clock.now());
    const deliveries = queueOfReplica();
    const claim = deliveries.claim.bind(deliveries);
    // The claim itself takes so long that it has nearly expired.
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

  it('recovers when the queue was unavailable', async () => {
    const endpoint = await queue.addEndpoint(receiver.url('ok'));
    const deliveries = queueOfReplica();
    let failures = 3;
    const failing = <Args extends unknown[], Result>(call: (...args: Args) => Promise<Result>) => {
      return (...args: Args) => (failures-- > 0 ? Promise.reject(new Error('no database')) : call(...args));
    };
    deliveries.claim = failing(deliveries.claim.bind(deliveries));
    const recordAttempts = deliveries.recordAttempts.bind(deliveries);
    let calls = 0;
    deliveries.recordAttempts = (batch) =>
      calls++ === 0 ? Promise.reject(new Error('no database')) : recordAttempts(batch);
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
        'Cannot claim webhook deliveries; retrying',
        'Cannot store the results of webhook deliveries; retrying',
      ]),
    );
  });
});
