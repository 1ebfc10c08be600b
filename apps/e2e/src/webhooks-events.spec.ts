import { randomUUID } from 'node:crypto';
import type { WebhookEvent } from '@florin/webhook-verifier';
import { type Account, codeOf, expectBody } from './harness/account';
import { everyPage, Inbox } from './harness/inbox';
import { Operator } from './harness/operator';
import { Florin } from './harness/florin';
import { Receiver } from './harness/receiver';
import { until } from './harness/until';
import { issue, service, topup } from './harness/orders';

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const types = [
  ...['operation.queued', 'operation.completed', 'operation.failed', 'operation.manual_review'],
  ...['invoice.pending', 'invoice.completed', 'invoice.expired', 'invoice.failed', 'invoice.manual_review'],
  ...['card.created', 'card.updated', 'transaction.created', 'transaction.updated'],
  ...['holder.created', 'holder.updated', 'webhook_endpoint.disabled'],
];

interface Thing {
  readonly id: string;
}

describe('events', () => {
  let receiver: Receiver;
  let florin: Florin;
  let operator: Operator;

  beforeAll(async () => {
    receiver = await Receiver.start();
    const lives = { INVOICE_LIFETIME_SECONDS: '10', ISSUER_TIMEOUT_SECONDS: '1' };
    florin = await Florin.start({ env: { WEBHOOK_ALLOW_LOOPBACK: 'true', RATE_LIMIT_SANDBOX: '0', ...lives } });
    operator = new Operator(florin);
  });

  afterAll(async () => {
    expect(await florin.stop()).toBe(0);
    await receiver.close();
    florin.removeData();
  });

  const listed = async (account: Account, list: string, id: string): Promise<Thing> => {
    const { data } = await account.list<Thing>(`/api/v1/${list}`);
    return data.find((thing) => thing.id === id)!;
  };
  const eventsOf = (account: Account) => everyPage<WebhookEvent>(account, '/api/v1/events?limit=100');
  const trigger = async (account: Account, type: string): Promise<string> =>
    expectBody<Thing>(await account.post('/api/v1/sandbox/events', { type }), 202).id;

  describe('of what happens in the sandbox', () => {
    let companyId: string;
    let account: Account;
    let unpaid: { account: Account; inbox: Inbox; id: string };
    let inbox: Inbox;
    let holderId: string;
    let cardId: string;

    beforeAll(async () => {
      companyId = await operator.newCompany();
      account = await operator.newKey(companyId);
      expectBody(await account.fund('1000.00'), 201);
      inbox = await Inbox.open(account, receiver);
      // What takes ten seconds runs beside everything else.
      const other = await operator.newAccount();
      unpaid = { account: other, inbox: await Inbox.open(other, receiver), id: (await other.newInvoice()).id };
    });

    /** Waits for the event with which the object got its version, and compares it with what the API has answered. */
    async function expectTold(type: string, objectVersion: number, object: Thing, to = inbox): Promise<void> {
      const isMeant = ({ type: told, objectVersion: version, data }: WebhookEvent): boolean =>
        told === type && version === objectVersion && data.object['id'] === object.id;
      const arrived = await until(
        `version ${objectVersion} of ${object.id} is told by ${type}`,
        () => Promise.resolve(to.events),
        (events) => events.some(isMeant),
      );
      const envelope = { id: expect.stringMatching(/^evt_[0-9a-f]{32}$/), createdAt: expect.stringMatching(instant) };
      const owner = { environment: 'sandbox', companyId: expect.any(String) };
      expect(arrived.filter(isMeant)).toEqual([{ ...envelope, type, ...owner, objectVersion, data: { object } }]);
    }

    it('tell of cardholders', async () => {
      holderId = await account.newHolder();
      await expectTold('holder.created', 1, await listed(account, 'holders', holderId));
      for (const [index, status] of ['blocked', 'active'].entries()) {
        expectBody(await operator.post(`/operator/v1/holders/${holderId}/status`, { status }), 200);
        await expectTold('holder.updated', 2 + index, await listed(account, 'holders', holderId));
      }
    });

    it('tell of operations, and of the cards that they make', async () => {
      const queued = await account.order(issue(holderId, '100', { name: 'Travel' }));
      await expectTold('operation.queued', 1, queued);
      const issued = await account.untilEnded(queued.id);
      await expectTold('operation.completed', 2, issued);
      cardId = issued.result.cardId!;
      await expectTold('card.created', 1, await account.card(cardId));
      await expectTold('operation.completed', 2, await account.outcomeOf(topup(cardId, '50')));
      await expectTold('card.updated', 2, await account.card(cardId));
      await expectTold('operation.failed', 2, await account.outcomeOf(service('10.91')));
    });

    it.each(['completed', 'failed'])(
      'tell of an operation that nobody knows the end of, and that a person has %s',
      async (outcome) => {
        const { id } = await account.order(service('10.92'));
        const inReview = await account.untilEnded(id);
        expect(inReview.status).toBe('manual_review');
        await expectTold('operation.manual_review', 2, inReview);
        expectBody(await operator.resolve(id, outcome), 200);
        await expectTold(`operation.${outcome}`, 3, await account.operation(id));
      },
    );

    it('tell of payments, and of what they leave on the card', async () => {
      const pay = async (amount: string): Promise<Thing> => {
        const payment = { cardId, amount, merchant: 'Coffee House', country: 'NL' };
        const { id } = expectBody<Thing>(await account.post('/api/v1/sandbox/transactions', payment), 201);
        return listed(account, 'transactions', id);
      };
      await expectTold('transaction.created', 1, await pay('12.50'));
      await expectTold('card.updated', 3, await account.card(cardId));
      // One that is declined leaves the card as it was.
      await expectTold('transaction.created', 1, await pay('5000'));
      for (const [index, verb] of ['freeze', 'unfreeze', 'close'].entries()) {
        expectBody(await account.post(`/api/v1/cards/${cardId}/${verb}`), 200);
        await expectTold('card.updated', 4 + index, await account.card(cardId));
      }
    });

    it('tell of invoices', async () => {
      const invoice = await account.newInvoice();
      await expectTold('invoice.pending', 1, invoice);
      expectBody(await account.post(`/api/v1/sandbox/invoices/${invoice.id}/complete`), 200);
      await expectTold('invoice.completed', 2, await account.invoice(invoice.id));
      await expectTold('invoice.expired', 2, await unpaid.account.untilInvoice(unpaid.id, 'expired'), unpaid.inbox);
    });

    it('forget a person who is erased', async () => {
      const ofHolder = async (): Promise<readonly WebhookEvent[]> =>
        (await eventsOf(account)).filter(({ data }) => data.object['id'] === holderId);
      expect(JSON.stringify(await ofHolder())).toContain('edith@example.com');
      expectBody(await operator.post(`/operator/v1/holders/${holderId}/erase`), 200);
      await expectTold('holder.updated', 4, await listed(account, 'holders', holderId));
      expect(await ofHolder()).toHaveLength(4);
      expect(JSON.stringify(await ofHolder())).not.toMatch(/edith/i);
    });

    it('have all arrived, once each, as they can be read, in versions without a gap', async () => {
      const all = await eventsOf(account);
      await inbox.untilSettled();
      expect(inbox.received.map(({ eventId }) => eventId).sort()).toEqual(all.map(({ id }) => id).sort());
      for (const event of all) {
        expect([event.companyId, event.environment]).toEqual([companyId, 'sandbox']);
        // What the holder was called stands only in what arrived before.
        if (event.data.object['id'] === holderId) continue;
        expect(inbox.copiesOf(event.id)[0]!.verified(inbox.secret)).toEqual(event);
      }
      const about = (id: unknown): readonly WebhookEvent[] =>
        all.filter(({ data }) => data.object['id'] === id).sort((a, b) => a.objectVersion - b.objectVersion);
      for (const id of new Set(all.map(({ data }) => data.object['id']))) {
        const inOrder = about(id);
        expect(inOrder.map(({ objectVersion }) => objectVersion)).toEqual(inOrder.map((_, index) => index + 1));
        const times = inOrder.map(({ createdAt }) => createdAt);
        expect(times).toEqual(times.toSorted());
      }
      expect(about(cardId)).toHaveLength(6);
    });
  });

  describe('that are made up', () => {
    it('arrive of every type, at whoever wants it', async () => {
      const account = await operator.newAccount();
      const [all, some] = [
        await Inbox.open(account, receiver),
        await Inbox.open(account, receiver, { events: ['card.updated', 'invoice.expired'] }),
      ];
      const triggered = new Map<string, string>();
      for (const type of types) triggered.set(await trigger(account, type), type);
      for (const [id, type] of triggered) {
        const event = await all.untilArrived(id);
        expect(event).toMatchObject({ id, type, environment: 'sandbox', objectVersion: 1 });
        expect(event).toEqual((await account.get(`/api/v1/events/${id}`)).body);
      }
      const wanted = [...triggered].filter(([, type]) => ['card.updated', 'invoice.expired'].includes(type));
      const settled = await some.untilSettled();
      expect(settled.map(({ eventId, eventType }) => [eventId, eventType]).sort()).toEqual(wanted.sort());
      expect(some.events.map(({ id }) => id).sort()).toEqual(wanted.map(([id]) => id).sort());
    });

    it('are made once under one idempotency key, and only in the sandbox', async () => {
      const companyId = await operator.newCompany();
      const account = await operator.newKey(companyId);
      const once = { 'Idempotency-Key': randomUUID() };
      const requestOnce = (type: string) => account.post('/api/v1/sandbox/events', { type }, once);
      const [first, ...repeats] = await Promise.all(Array.from({ length: 5 }, () => requestOnce('card.created')));
      for (const repeat of repeats) expect(repeat.body).toEqual(expectBody(first!, 202));
      expect(codeOf(await requestOnce('card.updated'))).toEqual([409, 'idempotency_conflict']);
      expect(await eventsOf(account)).toHaveLength(1);
      const live = await operator.newKey(companyId, 'live');
      expect(codeOf(await live.post('/api/v1/sandbox/events', { type: 'card.created' }))).toEqual([
        400,
        'sandbox_only',
      ]);
      expect(codeOf(await account.post('/api/v1/sandbox/events', { type: 'card.melted' }))).toEqual([
        400,
        'validation_failed',
      ]);
      expect(await eventsOf(live)).toEqual([]);
    });
  });

  describe('that are read', () => {
    let account: Account;
    const read = (query: string) => everyPage<WebhookEvent>(account, `/api/v1/events?${query}`);

    beforeAll(async () => {
      account = await operator.newAccount('500.00');
      // There is no endpoint: events are there whether anybody is told or not.
      const holderId = await account.newHolder();
      await account.newCard(holderId);
      for (let count = 0; count < 6; count++) await trigger(account, 'invoice.pending');
    });

    it('come the newest first, in pages that stay apart while more is happening', async () => {
      const before = await read('limit=100');
      const time = ({ createdAt }: WebhookEvent): string => createdAt;
      expect(before).toHaveLength(10);
      expect(before.map(time)).toEqual(before.map(time).sort().reverse());
      const first = await account.list<WebhookEvent>('/api/v1/events?limit=4');
      await trigger(account, 'card.created');
      const rest = await everyPage<WebhookEvent>(account, '/api/v1/events?limit=4', first.nextCursor);
      expect([...first.data, ...rest]).toEqual(before);
    });

    it('are found by type and time', async () => {
      const all = await read('limit=100');
      const ofType = all.filter(({ type }) => type === 'invoice.pending');
      expect(await read('limit=4&type=invoice.pending')).toEqual(ofType);
      expect(await read('limit=4&type=holder.updated')).toEqual([]);
      const { createdAt } = ofType[2]!;
      expect(await read(`limit=4&createdFrom=${createdAt}`)).toEqual(
        all.filter((event) => event.createdAt >= createdAt),
      );
      expect(await read(`limit=4&createdTo=${createdAt}`)).toEqual(all.filter((event) => event.createdAt <= createdAt));
    });

    it.each(['type=card.melted', 'createdFrom=yesterday', 'limit=101', 'cursor=made-up', 'colour=red'])(
      'are not read with %s',
      async (query) => {
        expect(codeOf(await account.get(`/api/v1/events?${query}`))).toEqual([400, 'validation_failed']);
      },
    );

    it('are read, each by itself, by their own company alone', async () => {
      const [{ id }] = (await read('limit=1&type=operation.completed')) as [WebhookEvent];
      const response = await account.get(`/api/v1/events/${id}`);
      expect(expectBody<WebhookEvent>(response, 200).data.object).toMatchObject({ status: 'completed' });
      const stranger = await operator.newAccount();
      expect(codeOf(await stranger.get(`/api/v1/events/${id}`))).toEqual([404, 'not_found']);
      expect(codeOf(await stranger.post(`/api/v1/events/${id}/resend`, {}))).toEqual([404, 'not_found']);
      expect(await eventsOf(stranger)).toEqual([]);
    });
  });
});
