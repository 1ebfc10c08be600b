import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { amountFor, IssuerSimulator, type IssuerBehavior, readIssuerCalls } from '@florin/issuer-simulator';
import { Account, codeOf, expectBody, type Operation } from './harness/account';
import { EventLog } from './harness/event-log';
import { Operator } from './harness/operator';
import { Florin } from './harness/florin';
import { cents, dollars, issue, service, topup } from './harness/orders';

const secret = 'a-secret-shared-with-the-issuer';
/** Concurrent issuer calls; more than the calls that hang. */
const slots = 24;

describe('operations in live', () => {
  const folder = mkdtempSync(join(tmpdir(), 'florin-issuer-'));
  const journal = join(folder, 'journal');
  let issuer: IssuerSimulator;
  let florin: Florin;
  let operator: Operator;
  let log: EventLog;
  let env: Record<string, string>;

  beforeAll(async () => {
    issuer = await IssuerSimulator.start({ secret, journal, slowMs: 200 });
    const calls = { ISSUER_TIMEOUT_SECONDS: '4', ISSUER_CONCURRENCY: String(slots) };
    env = { RATE_LIMIT_LIVE: '0', ISSUER_URL: issuer.url, ISSUER_SECRET: secret, ...calls };
    florin = await Florin.start({ env });
    operator = new Operator(florin);
    log = new EventLog(florin);
  });

  afterAll(async () => {
    await log.close();
    expect(await florin.stop()).toBe(0);
    await issuer.close();
    florin.removeData();
    rmSync(folder, { recursive: true });
  });

  async function newLiveAccount(amount: string): Promise<Account> {
    const companyId = await operator.newCompany({ activations: ['services'] });
    await log.depositLive(companyId, amount);
    return operator.newKey(companyId, 'live');
  }

  async function newActiveHolder(account: Account): Promise<string> {
    const holderId = await account.newHolder();
    expectBody(await operator.post(`/operator/v1/holders/${holderId}/status`, { status: 'active' }), 200);
    return holderId;
  }

  it('call the issuer once each, with a signature and exactly the agreed fields', async () => {
    const companyId = await operator.newCompany({ activations: ['services'] });
    await log.depositLive(companyId, '500.00');
    const account = await operator.newKey(companyId, 'live');
    const holderId = await newActiveHolder(account);
    const issued = await account.outcomeOf(issue(holderId, '100', { name: 'Travel' }));
    const { cardId } = issued.result;
    expect(issued).toMatchObject({ status: 'completed', result: { receipt: `receipt-${issued.id}` } });
    expect(await account.card(cardId!)).toMatchObject({ last4: '4242', balance: '100.00', name: 'Travel' });
    const loaded = await account.outcomeOf(topup(cardId!, '50'));
    const served = await account.outcomeOf(service('25'));
    expect([loaded.status, served.status]).toEqual(['completed', 'completed']);
    expect(served.result).toEqual({ receipt: `receipt-${served.id}` });

    const common = { companyId, currency: 'USD' };
    const holder = { holderId, name: 'Edith Example', email: 'edith@example.com' };
    const card = { productId: 'virtual-usd', cardId };
    const orders = [
      { operationId: issued.id, type: 'issue', amount: '100.00', ...common, ...card, holder, name: 'Travel' },
      { operationId: loaded.id, type: 'topup', amount: '50.00', ...common, ...card, cardReference: `sim-${cardId}` },
      {
        ...{ operationId: served.id, type: 'service', amount: '25.00', ...common },
        ...{ productId: 'courier-delivery', recipient: '+31612345678' },
      },
    ];
    for (const order of orders) {
      expect(issuer.callsFor(order.operationId)).toEqual([
        {
          ...{ method: 'POST', path: '/issuer/operations', idempotencyKey: order.operationId, signed: true, order },
          ...{ behavior: 'accepted', delayMs: 0, receivedAt: expect.any(String) as string },
        },
      ]);
    }
    // 103.20 for the card, 50.10 for the top-up, 25.00 for the service.
    expect(await account.funds()).toEqual(['321.70', '0.00']);
  });

  it('end as the issuer responds; without a definite response the funds stay reserved for review', async () => {
    const account = await newLiveAccount('10000.00');
    const outcomes: Readonly<Record<IssuerBehavior, string>> = {
      accepted: 'completed',
      pendingCard: 'completed',
      slow: 'completed',
      withoutCard: 'completed',
      declined: 'failed',
      declinedWith200: 'failed',
      hangs: 'manual_review',
      resets: 'manual_review',
      closes: 'manual_review',
      serverError: 'manual_review',
      created: 'manual_review',
      redirects: 'manual_review',
      redirectsThePost: 'manual_review',
      notJson: 'manual_review',
      anotherOperation: 'manual_review',
      oversized: 'manual_review',
      drips: 'manual_review',
      breaksOff: 'manual_review',
      switchesProtocols: 'manual_review',
    };
    const answers = Object.keys(outcomes) as (keyof typeof outcomes)[];
    const done = await Promise.all(
      answers.map(async (answer) => [answer, await account.outcomeOf(service(amountFor(answer)))] as const),
    );
    expect(Object.fromEntries(done.map(([answer, { status }]) => [answer, status]))).toEqual(outcomes);
    for (const [answer, { id, status, failure }] of done) {
      expect([answer, issuer.callsFor(id).length]).toEqual([answer, 1]);
      expect(failure?.code).toBe(status === 'failed' ? 'not_today' : undefined);
    }
    const sumOf = (status: string): number =>
      done.filter(([, operation]) => operation.status === status).reduce((sum, [, { total }]) => sum + cents(total), 0);
    const [held, spent] = [sumOf('manual_review'), sumOf('completed')];
    expect(await account.funds()).toEqual([dollars(cents('10000.00') - held - spent), dollars(held)]);
  });

  it('go to review when an issue is accepted without the digits of the card', async () => {
    const account = await newLiveAccount('500.00');
    const done = await account.outcomeOf(issue(await newActiveHolder(account), amountFor('withoutCard')));
    expect(done.status).toBe('manual_review');
    expect(await account.list('/api/v1/cards')).toEqual({ data: [] });
  });

  it('are refused for a holder who is still pending', async () => {
    const account = await newLiveAccount('500.00');
    expect(codeOf(await account.operate(issue(await account.newHolder())))).toEqual([400, 'holder_not_active']);
    expect(await account.funds()).toEqual(['500.00', '0.00']);
  });

  describe('that wait for a call slot', () => {
    let busy: Account;

    beforeAll(async () => {
      busy = await newLiveAccount('100000.00');
    });

    /** Occupies every slot with hanging calls while `work` runs, then aborts them. */
    async function whileAllSlotsAreTaken<Result>(work: () => Promise<Result>): Promise<Result> {
      const before = issuer.calls.length;
      const taken = await Promise.all(Array.from({ length: slots }, () => busy.order(service(amountFor('hangs')))));
      await issuer.untilReceived(before + slots);
      const result = await work();
      issuer['server'].closeAllConnections();
      for (const { id } of taken) expect((await busy.untilEnded(id)).status).toBe('manual_review');
      return result;
    }

    it('fail without an issuer call when the card is frozen meanwhile, and release the funds', async () => {
      const account = await newLiveAccount('500.00');
      const cardId = await account.newCard(await newActiveHolder(account), '100');
      const queued = await whileAllSlotsAreTaken(async () => {
        const { id } = await account.order(topup(cardId, '50'));
        expectBody(await account.post(`/api/v1/cards/${cardId}/freeze`), 200);
        const waiting = await account.operation(id);
        expect(await account.funds()).toEqual(['346.70', '50.10']);
        return waiting;
      });
      expect(queued.status).toBe('queued');
      const done = await account.untilEnded(queued.id);
      expect(done).toMatchObject({ status: 'failed', result: {}, failure: { code: 'card_not_active' } });
      expect(issuer.callsFor(done.id)).toEqual([]);
      expect(await account.funds()).toEqual(['396.80', '0.00']);
      expect((await account.entries(done.id)).map(({ kind }) => kind)).toEqual(['reservation', 'release']);
      expect(await account.card(cardId)).toMatchObject({ status: 'frozen', balance: '100.00' });
    });

    it('fail when the holder is blocked or erased meanwhile, and complete otherwise', async () => {
      const account = await newLiveAccount('1000.00');
      const holders = [await newActiveHolder(account), await newActiveHolder(account), await newActiveHolder(account)];
      const [blocked = '', erased = ''] = holders;
      const queued = await whileAllSlotsAreTaken(async () => {
        const orders = await Promise.all(holders.map((holderId) => account.order(issue(holderId, '10'))));
        expectBody(await operator.post(`/operator/v1/holders/${blocked}/status`, { status: 'blocked' }), 200);
        expectBody(await operator.post(`/operator/v1/holders/${erased}/erase`), 200);
        return orders;
      });
      const done: Operation[] = await Promise.all(queued.map(({ id }) => account.untilEnded(id)));
      expect(done.map(({ status }) => status)).toEqual(['failed', 'failed', 'completed']);
      expect(done.map(({ failure }) => failure?.code)).toEqual(['holder_not_active', 'holder_not_active', undefined]);
      expect(done.map(({ id }) => issuer.callsFor(id).length)).toEqual([0, 0, 1]);
      expect(await account.funds()).toEqual(['986.98', '0.00']);
    });
  });

  it('that are requested 20 times at once call the issuer once', async () => {
    const account = await newLiveAccount('500.00');
    const responses = await Promise.all(Array.from({ length: 20 }, () => account.operate(service('10'), 'the-same')));
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
    const { id, status } = await account.untilEnded(String(responses[0]!.body['id']));
    expect([status, issuer.callsFor(id).length]).toEqual(['completed', 1]);
    expect(await account.funds()).toEqual(['490.00', '0.00']);
  });

  it('that are in progress at a shutdown complete first', async () => {
    const account = await newLiveAccount('5000.00');
    const before = issuer.calls.length;
    const orders = Array.from({ length: slots }, () => account.order(service(amountFor('slow'))));
    await issuer.untilReceived(before + slots);
    await log.close();
    expect(await florin.stop()).toBe(0);
    const ids = (await Promise.all(orders)).map(({ id }) => id);
    florin = await Florin.start({ dataDirectory: florin.dataDirectory, env });
    log = new EventLog(florin);
    const again = new Account(florin.baseUrl, account['key']);
    for (const id of ids) expect((await again.untilEnded(id)).status).toBe('completed');
    expect(issuer.calls.length).toBe(before + slots);
  });

  it('never call the issuer twice', () => {
    const called = readIssuerCalls(journal).map(({ order }) => order.operationId);
    expect(called.length).toBeGreaterThan(2 * slots);
    expect(new Set(called).size).toBe(called.length);
  });
});
