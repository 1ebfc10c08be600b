import { randomInt, randomUUID } from 'node:crypto';
import type { WebhookEvent } from '@florin/webhook-verifier';
import { type Account, expectBody, type Operation } from './harness/account';
import { EventLog } from './harness/event-log';
import { type Delivery, everyPage, Inbox } from './harness/inbox';
import { Operator } from './harness/operator';
import { Florin } from './harness/florin';
import { Receiver } from './harness/receiver';
import { until } from './harness/until';
import { service, topup } from './harness/orders';

const clients = 8;
const ofEachKind = 16;
/** What a product had claimed when it was killed is free again after a minute. */
const patienceMs = 100_000;

interface Request {
  readonly key: string;
  readonly path: string;
  readonly body: object;
  done: boolean;
}

/** Something of every kind that events tell of. */
function requests(cardId: string): Request[] {
  const person = { name: 'Edith Example', email: 'edith@example.com', kind: 'individual' };
  const kinds: ((index: number) => readonly [string, object])[] = [
    (index) => ['operations', service(`${100 + index}.00`)],
    (index) => ['operations', topup(cardId, `${100 + index}.00`)],
    () => ['sandbox/transactions', { cardId, amount: '1.00', merchant: 'Coffee House' }],
    (index) => ['operations', service(`${100 + index}.91`)],
    () => ['holders', { ...person, externalId: randomUUID() }],
    () => ['sandbox/events', { type: 'invoice.completed' }],
  ];
  return Array.from({ length: kinds.length * ofEachKind }, (_, index) => {
    const [path, body] = kinds[index % kinds.length]!(index);
    return { key: randomUUID(), path: `/api/v1/${path}`, body, done: false };
  });
}

describe('SIGKILL in the middle of deliveries', () => {
  let receiver: Receiver;

  beforeAll(async () => {
    receiver = await Receiver.start();
  });

  afterAll(() => receiver.close());

  const start = (dataDirectory?: string): Promise<Florin> => {
    const env = { WEBHOOK_ALLOW_LOOPBACK: 'true', ISSUER_TIMEOUT_SECONDS: '1', RATE_LIMIT_SANDBOX: '0' };
    return Florin.start({ dataDirectory, env: { ...env, LOG_LEVEL: 'warn' } });
  };
  const eventsOf = (account: Account) => everyPage<WebhookEvent>(account, '/api/v1/events?limit=100');
  const about = (events: readonly WebhookEvent[], id: string): readonly WebhookEvent[] =>
    events.filter(({ data }) => data.object['id'] === id).toSorted((a, b) => a.objectVersion - b.objectVersion);

  /** Several clients send whatever has not been answered, until all of it is or nobody answers any more. */
  async function sendAll(account: Account, all: readonly Request[]): Promise<void> {
    const queue = all.filter(({ done }) => !done);
    const work = async (): Promise<void> => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        const { path, body, key } = next;
        const response = await account.post(path, body, { 'Idempotency-Key': key }).catch(() => undefined);
        if (response === undefined) return;
        expectBody(response, path.endsWith('/events') ? 202 : 201);
        next.done = true;
      }
    };
    await Promise.all(Array.from({ length: clients }, work));
  }

  /** At a moment that nobody can foresee, with some deliveries under way. */
  async function killed(kill: () => Promise<void>): Promise<void> {
    // Few enough that there are always more to come, if need be when the claims of a killed product have run out.
    const count = receiver.journal.length + randomInt(1, 20);
    const read = () => Promise.resolve(receiver.journal.length);
    await until(`${count} deliveries have arrived`, read, (arrived) => arrived >= count, patienceMs);
    await kill();
  }

  function expectAllArrived({ received, secret }: Inbox, events: readonly WebhookEvent[]): void {
    const byId = new Map(events.map((event) => [event.id, event]));
    for (const delivery of received) {
      const event = delivery.verified(secret);
      expect([delivery.eventId, event]).toEqual([event.id, byId.get(event.id)]);
    }
    const arrived = new Set(received.map(({ eventId }) => eventId));
    expect(events.filter(({ id }) => !arrived.has(id))).toEqual([]);
    // The kills have hit deliveries under way: somebody had got them, and nobody had noted so.
    expect(received.length).toBeGreaterThan(events.length);
  }

  function expectAllTold(events: readonly WebhookEvent[], operations: readonly Operation[]): void {
    const count = (type: string): number => events.filter((event) => event.type === type).length;
    const counts = ['operation.queued', 'transaction.created', 'holder.created', 'invoice.completed'].map(count);
    // The first card and its holder were there before.
    expect(counts).toEqual([3 * ofEachKind + 1, ofEachKind, ofEachKind + 1, ofEachKind]);
    for (const operation of operations) {
      const told = about(events, operation.id);
      expect(told.map(({ objectVersion }) => objectVersion)).toEqual(told.map((_, index) => index + 1));
      expect(told[0]!.type).toBe('operation.queued');
      expect(told.at(-1)!.data.object).toEqual(operation);
    }
  }

  /** The whole log has to be read again from its beginning. */
  async function forgetCheckpoint(florin: Florin): Promise<void> {
    const log = new EventLog(florin);
    const sql = `DELETE FROM event_store.subscription_shards WHERE subscription = 'webhooks' RETURNING position`;
    const forgotten = await log.query<{ position: string }>(sql);
    await log.close();
    expect(forgotten.map(({ position }) => Number(position) > 100)).toEqual([true]);
  }

  interface Before {
    readonly events: readonly WebhookEvent[];
    readonly sent: readonly Delivery[];
    readonly journal: number;
  }

  /** What happens next is all that arrives, and it goes on from what was told before. */
  async function expectOnlyNews(account: Account, inbox: Inbox, cardId: string, before: Before): Promise<void> {
    const { events, sent, journal } = before;
    expect(await eventsOf(account)).toEqual(events);
    expectBody(await account.post(`/api/v1/cards/${cardId}/freeze`), 200);
    const [news, ...rest] = await eventsOf(account);
    expect(rest).toEqual(events);
    const { objectVersion } = about(events, cardId).at(-1)!;
    expect(news).toMatchObject({ type: 'card.updated', objectVersion: objectVersion + 1 });
    expect(await inbox.untilArrived(news!.id)).toEqual(news);
    const [delivery, ...others] = await inbox.untilSettled();
    expect([delivery!.eventId, others]).toEqual([news!.id, sent]);
    expect(receiver.journal).toHaveLength(journal + 1);
  }

  it('loses no event, and a replay of the log sends none again', async () => {
    const first = await start();
    const { dataDirectory } = first;
    const company = await new Operator(first).newAccount('1000000.00');
    const endpoint = await Inbox.open(company, receiver);
    // Slow enough that some deliveries are always under way.
    receiver.answerAt(endpoint.path, { status: 204, afterMs: 50 });
    const cardId = await company.newCard(await company.newHolder());
    const all = requests(cardId);
    await Promise.all([sendAll(company, all), killed(() => first.kill())]);

    const second = await start(dataDirectory);
    await Promise.all([sendAll(company.movedTo(second.baseUrl), all), killed(() => second.killAlone())]);

    const third = await start(dataDirectory);
    const account = company.movedTo(third.baseUrl);
    await sendAll(account, all);
    const { data } = await account.list<Operation>('/api/v1/operations?limit=100');
    const operations = await Promise.all(data.map(({ id }) => account.untilEnded(id, 60_000)));
    const inbox = endpoint.movedTo(account);
    const sent = await inbox.untilSettled(patienceMs);
    expect(sent.filter(({ status }) => status !== 'delivered')).toEqual([]);
    const events = await eventsOf(account);
    expectAllArrived(inbox, events);
    expectAllTold(events, operations);

    const before = { events, sent, journal: receiver.journal.length };
    await third.killAlone();
    await forgetCheckpoint(third);
    const fourth = await start(dataDirectory);
    const again = company.movedTo(fourth.baseUrl);
    await expectOnlyNews(again, endpoint.movedTo(again), cardId, before);
    expect(await fourth.stop()).toBe(0);
    fourth.removeData();
  }, 300_000);
});
