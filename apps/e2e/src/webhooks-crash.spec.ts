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
/** A killed Florin keeps its claims for a few seconds instead of the usual minute. */
const leaseSeconds = 6;

interface Request {
  readonly key: string;
  readonly path: string;
  readonly body: object;
  done: boolean;
}

/** Requests that cause events of every kind. */
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

describe('SIGKILL during webhook deliveries', () => {
  let receiver: Receiver;

  let first: Florin;
  let company: Account;
  let endpoint: Inbox;
  let cardId: string;

  beforeAll(async () => {
    receiver = await Receiver.start();
    first = await start();
    company = await new Operator(first).newAccount('1000000.00');
    endpoint = await Inbox.open(company, receiver);
    // Slow enough that some deliveries are always in progress.
    receiver.respondAt(endpoint.path, { status: 204, afterMs: 50 });
    cardId = await company.newCard(await company.newHolder());
  });

  afterAll(() => receiver.close());

  function start(dataDirectory?: string): Promise<Florin> {
    const webhooks = { WEBHOOK_ALLOW_LOOPBACK: 'true', WEBHOOK_LEASE_SECONDS: String(leaseSeconds) };
    const operations = { ISSUER_TIMEOUT_SECONDS: '1', STALLED_AFTER_SECONDS: '2' };
    const env = { ...webhooks, ...operations, RATE_LIMIT_SANDBOX: '0', LOG_LEVEL: 'warn' };
    return Florin.start({ dataDirectory, env });
  }

  const eventsOf = (account: Account) => everyPage<WebhookEvent>(account, '/api/v1/events?limit=100');
  const about = (events: readonly WebhookEvent[], id: string): readonly WebhookEvent[] =>
    events.filter(({ data }) => data.object['id'] === id).toSorted((a, b) => a.objectVersion - b.objectVersion);

  /** Several clients send all unacknowledged requests until every one is acknowledged or Florin is down. */
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

  /** Kills Florin after a random number of deliveries, while others are in progress. */
  async function killed(kill: () => Promise<void>): Promise<void> {
    // Few enough that more deliveries always follow, if necessary after the claims of a killed Florin expire.
    const count = receiver.journal.length + randomInt(1, 20);
    const read = () => Promise.resolve(receiver.journal.length);
    await until(`${count} deliveries have arrived`, read, (arrived) => arrived >= count);
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
    // The kills have interrupted deliveries: the receiver had got them, but no process had recorded it.
    expect(received.length).toBeGreaterThan(events.length);
  }

  function expectAllPublished(events: readonly WebhookEvent[], operations: readonly Operation[]): void {
    const count = (type: string): number => events.filter((event) => event.type === type).length;
    const counts = ['operation.queued', 'transaction.created', 'holder.created', 'invoice.completed'].map(count);
    // Includes the first card and its holder.
    expect(counts).toEqual([3 * ofEachKind + 1, ofEachKind, ofEachKind + 1, ofEachKind]);
    for (const operation of operations) {
      const published = about(events, operation.id);
      expect(published.map(({ objectVersion }) => objectVersion)).toEqual(published.map((_, index) => index + 1));
      expect(published[0]!.type).toBe('operation.queued');
      expect(published.at(-1)!.data.object).toEqual(operation);
    }
  }

  /** Forces the subscription to read the log from its beginning. */
  async function deleteCheckpoint(florin: Florin): Promise<void> {
    const log = new EventLog(florin);
    const sql = `DELETE FROM event_store.subscription_shards WHERE subscription = 'webhooks' RETURNING position`;
    const deleted = await log.query<{ position: string }>(sql);
    await log.close();
    expect(deleted.map(({ position }) => Number(position) > 100)).toEqual([true]);
  }

  interface Before {
    readonly events: readonly WebhookEvent[];
    readonly sent: readonly Delivery[];
    readonly journal: number;
  }

  /** Only the event of the next change arrives, and its version follows the earlier ones. */
  async function expectOnlyNewEvents(account: Account, inbox: Inbox, cardId: string, before: Before): Promise<void> {
    const { events, sent, journal } = before;
    expect(await eventsOf(account)).toEqual(events);
    expectBody(await account.post(`/api/v1/cards/${cardId}/freeze`), 200);
    const [newest, ...rest] = await eventsOf(account);
    expect(rest).toEqual(events);
    const { objectVersion } = about(events, cardId).at(-1)!;
    expect(newest).toMatchObject({ type: 'card.updated', objectVersion: objectVersion + 1 });
    expect(await inbox.untilArrived(newest!.id)).toEqual(newest);
    const [delivery, ...others] = await inbox.untilSettled();
    expect([delivery!.eventId, others]).toEqual([newest!.id, sent]);
    expect(receiver.journal).toHaveLength(journal + 1);
  }

  let all: readonly Request[];
  let second: Florin;
  let third: Florin;
  let before: Before;

  it('starts again on the same data', async () => {
    all = requests(cardId);
    await Promise.all([sendAll(company, all), killed(() => first.kill())]);
    second = await start(first.dataDirectory);
  });

  it('continues the deliveries after a restart', async () => {
    await Promise.all([sendAll(company.movedTo(second.baseUrl), all), killed(() => second.killAlone())]);
  });

  it('loses no event', async () => {
    third = await start(first.dataDirectory);
    const account = company.movedTo(third.baseUrl);
    await sendAll(account, all);
    const { data } = await account.list<Operation>('/api/v1/operations?limit=100');
    const operations = await Promise.all(data.map(({ id }) => account.untilEnded(id)));
    const inbox = endpoint.movedTo(account);
    const sent = await inbox.untilSettled();
    expect(sent.filter(({ status }) => status !== 'delivered')).toEqual([]);
    const events = await eventsOf(account);
    expectAllArrived(inbox, events);
    expectAllPublished(events, operations);
    before = { events, sent, journal: receiver.journal.length };
  });

  it('sends no event again when the log is replayed', async () => {
    await third.killAlone();
    await deleteCheckpoint(third);
    const fourth = await start(first.dataDirectory);
    const account = company.movedTo(fourth.baseUrl);
    await expectOnlyNewEvents(account, endpoint.movedTo(account), cardId, before);
    expect(await fourth.stop()).toBe(0);
    fourth.removeData();
  });
});
