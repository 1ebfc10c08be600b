import { createPool } from '@florin/database';
import { createTestDatabase, type TestDatabase } from '@florin/database/testing';
import { PostgresDeliveryQueue } from '@florin/delivery-queue-postgres';
import { manualClock, testVaultKeys } from '@florin/kernel/testing';
import { EndpointDisabler, WebhookDispatcher, type WebhooksOptions } from '@florin/webhooks-application';
import { isSigned, QueueFixture, Receiver, type SampleEndpoint } from '@florin/webhooks-application/testing';
import { HttpWebhookSender } from './http-webhook-sender.adapter';

const secretReading = { keys: testVaultKeys, onUnreadable: () => undefined };

// Other suites may run at the same time.
jest.setTimeout(30_000);

const clock = manualClock('2030-01-01T00:00:00.000Z');
/** All of them are claimed together. */
const waiting = 120;

describe('endpoints that change while deliveries wait for an attempt', () => {
  let database: TestDatabase;
  let pool: ReturnType<typeof createPool>;
  let queue: QueueFixture;
  let receiver: Receiver;
  let sender: HttpWebhookSender;
  let endpoint: SampleEndpoint;
  let ids: string[];
  let commands: number;
  const lines: string[] = [];

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = createPool(database.connection, { max: 10 });
    queue = new QueueFixture(pool);
    sender = new HttpWebhookSender({ clock, allowLoopback: true, timeoutMs: 60_000 });
  });
  beforeEach(async () => {
    receiver = await Receiver.start();
    await queue.empty();
    clock.set('2030-01-01T00:00:00.000Z');
    lines.length = commands = 0;
  });
  afterEach(() => receiver.close());
  afterAll(async () => {
    await sender.close();
    await pool.end();
    await database.drop();
  });

  const addEndpoint = async (url: string): Promise<void> => {
    endpoint = await queue.addEndpoint(url);
    ids = await queue.addDeliveries([endpoint], waiting, clock.now());
  };
  const bus = {
    request: async <Reply>(): Promise<Reply> => {
      commands += 1;
      return { ok: true, repeated: false, answer: null } as Reply;
    },
    send: async () => undefined,
  };
  const newQueue = (): PostgresDeliveryQueue =>
    new PostgresDeliveryQueue(pool, { ...database.connection }, secretReading);
  /** Applies the change to the endpoint while the first attempt is in flight and all others wait. */
  const dispatcherWith = (meanwhile = async () => undefined as unknown, deliveries = newQueue()): WebhookDispatcher => {
    const write = (_: object, message: string): void => void lines.push(message);
    const log = { info: () => undefined, warn: write, error: write };
    // Every attempt reads the endpoint again.
    const options: WebhooksOptions = { log, random: () => 0.5, dispatcher: { freshMs: 0 } };
    let attempts = 0;
    const through = {
      send: async (...request: Parameters<HttpWebhookSender['send']>) => {
        const result = await sender.send(...request);
        if (attempts++ === 0) await meanwhile();
        return result;
      },
    };
    return new WebhookDispatcher(deliveries, through, new EndpointDisabler(bus, clock, options), clock, options);
  };
  const countOf = async (status: string): Promise<number> =>
    (await queue.deliveries(ids)).filter((delivery) => delivery.status === status).length;

  it.each([
    ['deleted', { deleted: true }],
    ['disabled', { status: 'disabled' }],
  ] as const)('receive nothing more once they are %s', async (_, change) => {
    await addEndpoint(receiver.url('ok'));
    await dispatcherWith(() => queue.change(endpoint, change)).deliverDue();
    expect(receiver.received).toHaveLength(1);
    expect([await countOf('delivered'), await countOf('cancelled')]).toEqual([1, waiting - 1]);
    expect(await queue.countClaims()).toBe(0);
    expect(lines).toEqual([]);
  });

  it('receive nothing more once their secrets are deleted', async () => {
    await addEndpoint(receiver.url('ok'));
    const forget = () => pool.query('DELETE FROM vault.webhook_secrets WHERE endpoint_id = $1', [endpoint.id]);
    await dispatcherWith(forget).deliverDue();
    expect(receiver.received).toHaveLength(1);
  });

  it('receive the remaining deliveries at their new URL', async () => {
    await addEndpoint(receiver.url('ok/old'));
    await dispatcherWith(() => queue.change(endpoint, { url: receiver.url('ok/new') })).deliverDue();
    expect([receiver.at('ok/old').length, receiver.at('ok/new').length]).toEqual([1, waiting - 1]);
    expect(await countOf('delivered')).toBe(waiting);
  });

  it('receive the remaining deliveries signed with both secrets after a rotation', async () => {
    await addEndpoint(receiver.url('ok'));
    await dispatcherWith(async () => {
      const old = await queue.addSecret(endpoint.id, endpoint.secret);
      await queue.change(endpoint, { secretIds: [await queue.addSecret(endpoint.id, 'whsec_new'), old] });
    }).deliverDue();
    expect(receiver.received).toHaveLength(waiting);
    const signedWith = (secret: string): number =>
      receiver.received.filter((received) => isSigned(received, secret, clock.now())).length;
    expect([signedWith(endpoint.secret), signedWith('whsec_new')]).toEqual([waiting, waiting - 1]);
  });

  it('receive nothing more after a 410 response, also before they are disabled', async () => {
    await addEndpoint(receiver.url('gone'));
    const dispatcher = dispatcherWith();
    await dispatcher.deliverDue();
    const [later] = await queue.addDeliveries([endpoint], 1, clock.now());
    await dispatcher.deliverDue();
    await dispatcherWith().deliverDue();
    expect([receiver.received.length, commands]).toEqual([1, 1]);
    await queue.change(endpoint, { status: 'disabled' });
    await dispatcher.deliverDue();
    expect([receiver.received.length, await queue.countClaims()]).toEqual([1, 0]);
    expect(await queue.deliveries([later!])).toMatchObject([{ status: 'cancelled', attempts: 0 }]);

    await queue.change(endpoint, { status: 'enabled', url: receiver.url('ok') });
    ids = await queue.addDeliveries([endpoint], waiting, clock.now());
    await dispatcher.deliverDue();
    expect(await countOf('delivered')).toBe(waiting);
  });

  it('are tried again when the claim expires and they were not disabled', async () => {
    await addEndpoint(receiver.url('gone'));
    const dispatcher = dispatcherWith();
    await dispatcher.deliverDue();
    clock.advance(60_000);
    await dispatcher.deliverDue();
    expect([receiver.received.length, commands]).toEqual([2, 2]);
    expect(await countOf('pending')).toBe(waiting);
    await dispatcher.stop();
    expect(await queue.countClaims()).toBe(0);
  });

  it('receive nothing while the endpoint cannot be read, and everything afterwards', async () => {
    await addEndpoint(receiver.url('ok'));
    const deliveries = newQueue();
    const targets = deliveries.targets.bind(deliveries);
    let reads = 0;
    deliveries.targets = (...wanted) =>
      reads++ % 3 === 1 ? Promise.reject(new Error('no database')) : targets(...wanted);
    await dispatcherWith(undefined, deliveries).deliverDue();
    expect(receiver.received).toHaveLength(waiting);
    expect(await countOf('delivered')).toBe(waiting);
    expect(new Set(lines)).toEqual(new Set(['Cannot read webhook endpoints; releasing their deliveries']));
    expect(await queue.countClaims()).toBe(0);
  });
});
