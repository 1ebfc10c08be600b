import { amountFor, IssuerSimulator } from '@florin/issuer-simulator';
import { type Account, codeOf, expectBody } from './harness/account';
import { EventLog } from './harness/event-log';
import { Operator } from './harness/operator';
import { Florin } from './harness/florin';
import { issue, service, topup } from './harness/orders';

const secret = 'a-secret-shared-with-the-issuer';
const nowhere = '00000000-0000-4000-8000-000000000000';
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

interface Review {
  readonly id: string;
  readonly status: string;
  readonly resolution?: object;
}

describe('reviews', () => {
  let issuer: IssuerSimulator;
  let florin: Florin;
  let operator: Operator;
  let log: EventLog;

  beforeAll(async () => {
    issuer = await IssuerSimulator.start({ secret });
    const env = { RATE_LIMIT_SANDBOX: '0', RATE_LIMIT_LIVE: '0', ISSUER_URL: issuer.url, ISSUER_SECRET: secret };
    florin = await Florin.start({ env });
    operator = new Operator(florin);
    log = new EventLog(florin);
  });

  afterAll(async () => {
    await log.close();
    expect(await florin.stop()).toBe(0);
    await issuer.close();
    florin.removeData();
  });

  const waiting = async (): Promise<readonly Review[]> =>
    expectBody<{ data: Review[] }>(await operator.get('/operator/v1/reviews?limit=100'), 200).data;
  const find = async (id: string): Promise<Review | undefined> => (await waiting()).find((review) => review.id === id);

  async function liveIssueInReview(): Promise<{ account: Account; id: string }> {
    const companyId = await operator.newCompany();
    await log.depositLive(companyId, '500.00');
    const account = await operator.newKey(companyId, 'live');
    const holderId = await account.newHolder();
    expectBody(await operator.post(`/operator/v1/holders/${holderId}/status`, { status: 'active' }), 200);
    const { id, status } = await account.outcomeOf(issue(holderId, amountFor('serverError')));
    expect(status).toBe('manual_review');
    return { account, id };
  }

  it('show the operator all details', async () => {
    const companyId = await operator.newCompany();
    const account = await operator.newKey(companyId);
    await account.fund('500');
    const holderId = await account.newHolder();
    const { id, createdAt } = await account.outcomeOf(issue(holderId, '100.92', { name: 'Travel' }));
    expect(await find(id)).toEqual({
      id,
      kind: 'operation',
      companyId,
      environment: 'sandbox',
      type: 'issue',
      status: 'manual_review',
      amount: '100.92',
      fee: '3.20',
      total: '104.12',
      productId: 'virtual-usd',
      holderId,
      cardId: expect.any(String),
      reason: expect.stringContaining('amounts that end in .92'),
      since: expect.stringMatching(instant),
      lateAnswers: [],
      createdAt,
    });
    const served = await account.outcomeOf(service('10.92'));
    expect(await find(served.id)).toMatchObject({ type: 'service', recipient: '+31612345678', total: '10.92' });
  });

  it('resolved as completed capture the funds and create the card', async () => {
    const account = await operator.newAccount('500.00');
    const { id } = await account.outcomeOf(issue(await account.newHolder(), '100.92'));
    const resolved = await operator.resolve(id, 'completed', { note: 'Confirmed by telephone', receipt: 'R-4711' });
    expect(resolved).toMatchObject({
      status: 200,
      body: { id, status: 'completed', resolution: { outcome: 'completed', note: 'Confirmed by telephone' } },
    });
    const done = await account.operation(id);
    expect(done).toMatchObject({ status: 'completed', result: { cardId: expect.any(String), receipt: 'R-4711' } });
    expect(await account.card(done.result.cardId!)).toMatchObject({ status: 'active', balance: '100.92' });
    expect(await account.funds()).toEqual(['395.88', '0.00']);
    expect((await account.entries(id)).map(({ kind }) => kind)).toEqual(['reservation', 'capture', 'fee']);
    expect(await find(id)).toBeUndefined();
  });

  it('resolved as failed release the funds and show the reason to the client', async () => {
    const account = await operator.newAccount('500.00');
    const cardId = await account.newCard(await account.newHolder(), '100');
    const { id } = await account.outcomeOf(topup(cardId, '50.92'));
    expectBody(await operator.resolve(id, 'failed', { note: 'The issuer knows nothing of it' }), 200);
    const failure = { code: 'review_failed', message: 'The issuer knows nothing of it' };
    expect(await account.operation(id)).toMatchObject({ status: 'failed', result: {}, failure });
    expect(await account.funds()).toEqual(['396.80', '0.00']);
    expect((await account.card(cardId)).balance).toBe('100.00');
    expect((await account.entries(id)).map(({ kind }) => kind)).toEqual(['reservation', 'release']);
  });

  it.each(['50.92', '60.92', '70.92'])(
    'of %s, resolved both ways at once, are decided once: the second request returns 409',
    async (amount) => {
      const account = await operator.newAccount('500.00');
      const { id, total } = await account.outcomeOf(service(amount));
      const outcomes = ['completed', 'failed'] as const;
      const responses = await Promise.all(outcomes.map((outcome) => operator.resolve(id, outcome)));
      expect(responses.map(codeOf).sort()).toEqual([
        [200, undefined],
        [409, 'idempotency_conflict'],
      ]);
      const decided = outcomes[responses.findIndex(({ status }) => status === 200)]!;
      const contrary = outcomes.find((outcome) => outcome !== decided)!;
      expect(codeOf(await operator.resolve(id, contrary))).toEqual([409, 'idempotency_conflict']);
      // A repeated decision changes nothing, and its note is ignored.
      const again = await operator.resolve(id, decided, { note: 'Another note' });
      expect(again).toMatchObject({
        status: 200,
        body: { resolution: { outcome: decided, note: 'Asked the issuer' } },
      });
      expect((await account.operation(id)).status).toBe(decided);
      const left = decided === 'completed' ? 500 - Number(total) : 500;
      expect(await account.funds()).toEqual([left.toFixed(2), '0.00']);
      expect(await account.entries(id)).toHaveLength(2);
    },
  );

  it('reject a decision without an outcome and a note', async () => {
    const account = await operator.newAccount('100.00');
    const { id } = await account.outcomeOf(service('10.92'));
    for (const fields of [
      { outcome: undefined },
      { outcome: 'refunded' },
      { note: undefined },
      { note: ' ' },
      { last4: '42424' },
      { amount: '1.00' },
    ]) {
      expect(codeOf(await operator.resolve(id, 'completed', fields))).toEqual([400, 'validation_failed']);
    }
    expect((await account.operation(id)).status).toBe('manual_review');
    expect(await account.funds()).toEqual(['89.08', '10.92']);
  });

  it('exist only for undecided operations, and only for operators', async () => {
    const account = await operator.newAccount('100.00');
    const done = await account.outcomeOf(service('10'));
    const held = await account.outcomeOf(service('10.92'));
    for (const id of [nowhere, 'x', done.id]) {
      expect(codeOf(await operator.resolve(id, 'failed'))).toEqual([404, 'not_found']);
    }
    expect(codeOf(await account.get('/operator/v1/reviews'))).toEqual([401, 'invalid_key']);
    const body = { outcome: 'failed', note: 'I want my money back' };
    expect(codeOf(await account.post(`/operator/v1/reviews/${held.id}/resolve`, body))).toEqual([401, 'invalid_key']);
    expect(codeOf(await operator.get('/operator/v1/reviews?state=open'))).toEqual([400, 'validation_failed']);
    expect(await account.funds()).toEqual(['79.08', '10.92']);
  });

  it('of a live issue require the last digits of the card', async () => {
    const { account, id } = await liveIssueInReview();
    expect(codeOf(await operator.resolve(id, 'completed'))).toEqual([400, 'validation_failed']);
    expect((await account.operation(id)).status).toBe('manual_review');
    const details = { last4: '1881', cardReference: 'crd_1881', receipt: 'R-1881' };
    expectBody(await operator.resolve(id, 'completed', details), 200);
    const done = await account.operation(id);
    expect(done).toMatchObject({ status: 'completed', result: { receipt: 'R-1881' } });
    expect(await account.card(done.result.cardId!)).toMatchObject({ last4: '1881', balance: '100.95' });
    expect(await account.funds()).toEqual(['395.85', '0.00']);
    // The next top-up sends the card reference that the operator entered.
    const loaded = await account.outcomeOf(topup(done.result.cardId!, '10'));
    expect(issuer.callsFor(loaded.id)).toMatchObject([{ order: { cardReference: 'crd_1881' } }]);
  });

  it('of a live issue can be resolved as failed without them', async () => {
    const { account, id } = await liveIssueInReview();
    expectBody(await operator.resolve(id, 'failed'), 200);
    expect(await account.funds()).toEqual(['500.00', '0.00']);
    expect(await account.list('/api/v1/cards')).toEqual({ data: [] });
  });
});
