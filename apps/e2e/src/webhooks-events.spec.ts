import { randomUUID } from 'node:crypto';
import type { WebhookEvent } from '@florin/webhook-verifier';
import { type Account, codeOf, expectBody } from './harness/account';
import { everyPage, Inbox } from './harness/inbox';
import { Operator } from './harness/operator';
import { Florin } from './harness/florin';
import { Receiver } from './harness/receiver';
import { until } from './harness/until';
import { issue, service, topup, unload } from './harness/orders';

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

  describe('of sandbox activity', () => {
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
      // It expires during the other tests.
      const other = await operator.newAccount();
      unpaid = { account: other, inbox: await Inbox.open(other, receiver), id: (await other.newInvoice()).id };
    });

    /** Waits for the event with this version of the object and compares it with the API response. */
    async function expectEvent(type: string, objectVersion: number, object: Thing, to = inbox): Promise<void> {
      const matches = ({ type: published, objectVersion: version, data }: WebhookEvent): boolean =>
        published === type && version === objectVersion && data.object['id'] === object.id;
      const arrived = await until(
        `version ${objectVersion} of ${object.id} is published as ${type}`,
        () => Promise.resolve(to.events),
        (events) => events.some(matches),
      );
      const envelope = { id: expect.stringMatching(/^evt_[0-9a-f]{32}$/), createdAt: expect.stringMatching(instant) };
      const owner = { environment: 'sandbox', companyId: expect.any(String) };
      expect(arrived.filter(matches)).toEqual([{ ...envelope, type, ...owner, objectVersion, data: { object } }]);
    }

    it('report cardholders', async () => {
      holderId = await account.newHolder();
      await expectEvent('holder.created', 1, await listed(account, 'holders', holderId));
      for (const [index, status] of ['blocked', 'active'].entries()) {
        expectBody(await operator.post(`/operator/v1/holders/${holderId}/status`, { status }), 200);
        await expectEvent('holder.updated', 2 + index, await listed(account, 'holders', holderId));
      }
    });

    it('report operations and the cards that they create', async () => {
      const queued = await account.order(issue(holderId, '100', { name: 'Travel' }));
      await expectEvent('operation.queued', 1, queued);
      const issued = await account.untilEnded(queued.id);
      await expectEvent('operation.completed', 2, issued);
      cardId = issued.result.cardId!;
      await expectEvent('card.created', 1, await account.card(cardId));
      await expectEvent('operation.completed', 2, await account.outcomeOf(topup(cardId, '50')));
      await expectEvent('card.updated', 2, await account.card(cardId));
      await expectEvent('operation.failed', 2, await account.outcomeOf(service('10.91')));
    });

    it.each(['completed', 'failed'])(
      'report an operation in review that an operator resolves as %s',
      async (outcome) => {
        const { id } = await account.order(service('10.92'));
        const inReview = await account.untilEnded(id);
        expect(inReview.status).toBe('manual_review');
        await expectEvent('operation.manual_review', 2, inReview);
        expectBody(await operator.resolve(id, outcome), 200);
        await expectEvent(`operation.${outcome}`, 3, await account.operation(id));
      },
    );

    it('report payments and the resulting card balance', async () => {
      const pay = async (amount: string): Promise<Thing> => {
        const payment = { cardId, amount, merchant: 'Coffee House', country: 'NL' };
        const { id } = expectBody<Thing>(await account.post('/api/v1/sandbox/transactions', payment), 201);
        return listed(account, 'transactions', id);
      };
      await expectEvent('transaction.created', 1, await pay('12.50'));
      await expectEvent('card.updated', 3, await account.card(cardId));
      // A declined one does not change the card.
      await expectEvent('transaction.created', 1, await pay('5000'));
      for (const [index, verb] of ['freeze', 'unfreeze'].entries()) {
        expectBody(await account.post(`/api/v1/cards/${cardId}/${verb}`), 200);
        await expectEvent('card.updated', 4 + index, await account.card(cardId));
      }
    });

    it('report unloads, their reservation and their end, and a closed card', async () => {
      const { available } = await account.card(cardId);
      const unloaded = await account.outcomeOf(unload(cardId, available));
      await expectEvent('operation.completed', 2, unloaded);
      await expectEvent('card.updated', 7, await account.card(cardId));
      expectBody(await account.post(`/api/v1/cards/${cardId}/close`), 200);
      await expectEvent('card.updated', 8, await account.card(cardId));
    });

    it('report invoices', async () => {
      const invoice = await account.newInvoice();
      await expectEvent('invoice.pending', 1, invoice);
      expectBody(await account.post(`/api/v1/sandbox/invoices/${invoice.id}/complete`), 200);
      await expectEvent('invoice.completed', 2, await account.invoice(invoice.id));
      await expectEvent('invoice.expired', 2, await unpaid.account.untilInvoice(unpaid.id, 'expired'), unpaid.inbox);
    });

    it('contain no personal data after an erasure', async () => {
      const ofHolder = async (): Promise<readonly WebhookEvent[]> =>
        (await eventsOf(account)).filter(({ data }) => data.object['id'] === holderId);
      expect(JSON.stringify(await ofHolder())).toContain('edith@example.com');
      expectBody(await operator.post(`/operator/v1/holders/${holderId}/erase`), 200);
      await expectEvent('holder.updated', 4, await listed(account, 'holders', holderId));
      expect(await ofHolder()).toHaveLength(4);
      expect(JSON.stringify(await ofHolder())).not.toMatch(/edith/i);
    });

    it('are all delivered once, as the API shows them, with consecutive versions', async () => {
      const all = await eventsOf(account);
      await inbox.untilSettled();
      expect(inbox.received.map(({ eventId }) => eventId).sort()).toEqual(all.map(({ id }) => id).sort());
      for (const event of all) {
        expect([event.companyId, event.environment]).toEqual([companyId, 'sandbox']);
        // The holder's name is only in deliveries before the erasure.
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
      expect(about(cardId)).toHaveLength(8);
    });
  });

  describe('that are triggered', () => {
    it('of every type are delivered to subscribed endpoints', async () => {
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

    it('are created once per idempotency key, and only in the sandbox', async () => {
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

  describe('in the list of events', () => {
    let account: Account;
    const read = (query: string) => everyPage<WebhookEvent>(account, `/api/v1/events?${query}`);

    beforeAll(async () => {
      account = await operator.newAccount('500.00');
      // Events exist without any endpoint.
      const holderId = await account.newHolder();
      await account.newCard(holderId);
      for (let count = 0; count < 6; count++) await trigger(account, 'invoice.pending');
    });

    it('are newest first, in pages that stay consistent while events are added', async () => {
      const before = await read('limit=100');
      const time = ({ createdAt }: WebhookEvent): string => createdAt;
      expect(before).toHaveLength(10);
      expect(before.map(time)).toEqual(before.map(time).sort().reverse());
      const first = await account.list<WebhookEvent>('/api/v1/events?limit=4');
      await trigger(account, 'card.created');
      const rest = await everyPage<WebhookEvent>(account, '/api/v1/events?limit=4', first.nextCursor);
      expect([...first.data, ...rest]).toEqual(before);
    });

    it('are filtered by type and time', async () => {
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
      'are rejected with the query %s',
      async (query) => {
        expect(codeOf(await account.get(`/api/v1/events?${query}`))).toEqual([400, 'validation_failed']);
      },
    );

    it('are visible to their own company only', async () => {
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
