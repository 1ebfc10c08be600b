import { signPayload } from '@florin/kernel';
import { amountFor, IssuerSimulator } from '@florin/issuer-simulator';
import { type Account, codeOf, expectBody } from './harness/account';
import { ApiClient, type ApiResponse } from './harness/client';
import { EventLog } from './harness/event-log';
import { Operator } from './harness/operator';
import { Florin } from './harness/florin';
import { issue, service } from './harness/orders';

const secret = 'a-secret-shared-with-the-issuer';
const nowhere = '00000000-0000-4000-8000-000000000000';
const now = (): number => Math.floor(Date.now() / 1_000);

interface Company {
  readonly id: string;
  readonly account: Account;
  readonly cardId: string;
}

describe('issuer callbacks', () => {
  let issuer: IssuerSimulator;
  let florin: Florin;
  let operator: Operator;
  let log: EventLog;
  let company: Company;
  let other: Company;

  beforeAll(async () => {
    issuer = await IssuerSimulator.start({ secret });
    const env = { RATE_LIMIT_SANDBOX: '0', RATE_LIMIT_LIVE: '0', ISSUER_URL: issuer.url, ISSUER_SECRET: secret };
    florin = await Florin.start({ env });
    operator = new Operator(florin);
    log = new EventLog(florin);
    [company, other] = [await newCompany(), await newCompany()];
  });

  afterAll(async () => {
    await log.close();
    expect(await florin.stop()).toBe(0);
    await issuer.close();
    florin.removeData();
  });

  async function newCompany(): Promise<Company> {
    const id = await operator.newCompany({ activations: ['services'] });
    await log.depositLive(id, '1000.00');
    const account = await operator.newKey(id, 'live');
    const holderId = await account.newHolder();
    expectBody(await operator.post(`/operator/v1/holders/${holderId}/status`, { status: 'active' }), 200);
    return { id, account, cardId: await account.newCard(holderId, '100') };
  }

  const send = (
    rawBody: string,
    headers: Record<string, string>,
    path = '/issuer/v1/callbacks',
  ): Promise<ApiResponse> => new ApiClient(florin.baseUrl, undefined).send('POST', path, { rawBody, headers });

  function callBack(body: unknown, time = now(), key = secret): Promise<ApiResponse> {
    const rawBody = typeof body === 'string' ? body : JSON.stringify(body);
    return send(rawBody, { 'Issuer-Signature': signPayload(key, time, rawBody) });
  }

  let references = 0;
  const payment = (fields: object = {}, whose: object = {}) => ({
    type: 'transaction',
    companyId: company.id,
    cardReference: `sim-${company.cardId}`,
    ...whose,
    transaction: {
      reference: `txn-${++references}`,
      type: 'purchase',
      status: 'pending',
      amount: '10.00',
      currency: 'USD',
      merchant: 'Coffee House',
      country: 'NL',
      occurredAt: '2026-01-31T12:00:00.000Z',
      ...fields,
    },
  });
  const available = async ({ account, cardId }: Company = company) => Number((await account.card(cardId)).available);
  const statusOf = async (reference: string) => {
    const { data } = await company.account.list<Record<string, string>>('/api/v1/transactions?limit=100');
    return data.filter((transaction) => transaction['reference'] === reference).map(({ status }) => status);
  };

  describe('signatures', () => {
    it.each<readonly [string, (body: string) => Record<string, string>]>([
      ['without one', () => ({})],
      ['with an empty one', () => ({ 'Issuer-Signature': '' })],
      ['with one of another secret', (body) => ({ 'Issuer-Signature': signPayload('another-secret', now(), body) })],
      ['with one of another body', (body) => ({ 'Issuer-Signature': signPayload(secret, now(), `${body} `) })],
      ['with one that is too old', (body) => ({ 'Issuer-Signature': signPayload(secret, now() - 310, body) })],
      ['with one from the future', (body) => ({ 'Issuer-Signature': signPayload(secret, now() + 310, body) })],
      ['under another name', (body) => ({ 'Florin-Signature': signPayload(secret, now(), body) })],
      ['with the secret for a key', () => ({ Authorization: `Bearer ${secret}` })],
    ])('are rejected %s', async (_, headers) => {
      const [body, before] = [JSON.stringify(payment()), await available()];
      expect(codeOf(await send(body, headers(body)))).toEqual([401, 'invalid_key']);
      expect(await available()).toBe(before);
    });

    it('are accepted with one valid signature of several, a few minutes old', async () => {
      const [body, before] = [JSON.stringify(payment()), await available()];
      const right = signPayload(secret, now() - 200, body);
      const response = await send(body, { 'Issuer-Signature': `${right},v1=${'0'.repeat(64)}` });
      expect([response.status, response.body]).toEqual([200, {}]);
      expect(await available()).toBe(before - 10);
    });
  });

  describe('about clearings', () => {
    const clearing = (transactionReference: string, fields: object = {}) => {
      const { transaction, type: _type, ...whose } = payment();
      const { type: _purchase, status: _status, ...details } = transaction;
      return { ...whose, type: 'clearing', clearing: { ...details, transactionReference, ...fields } };
    };
    const balances = async () => {
      const { balance, available: free } = await company.account.card(company.cardId);
      return [Number(balance), Number(free)];
    };

    it('take each clearing off the card once, in any order and repeated', async () => {
      const [balance, free] = (await balances()) as [number, number];
      const authorized = payment({ amount: '10.00' });
      const { reference } = authorized.transaction;
      const parts = [clearing(reference, { amount: '2.00', final: false }), clearing(reference, { amount: '9.00' })];
      for (const report of [authorized, ...parts, parts[0], authorized, parts[1]]) {
        expect((await callBack(report)).status).toBe(200);
      }
      expect(await balances()).toEqual([balance - 11, free - 11]);
      expect(await statusOf(reference)).toEqual(['completed']);
      expect(codeOf(await callBack(clearing(reference, { amount: '5000.00' })))).toEqual([
        400,
        'insufficient_card_balance',
      ]);
    });

    it('are payments without authorization if that was never reported', async () => {
      const [balance, free] = (await balances()) as [number, number];
      const report = clearing(`unknown-${++references}`, { amount: '3.00' });
      for (const sent of [report, report]) expect((await callBack(sent)).status).toBe(200);
      expect(await balances()).toEqual([balance - 3, free - 3]);
    });
  });

  describe('authorization requests', () => {
    const request = (fields: object = {}) => {
      const { transaction, type: _type, ...whose } = payment(fields);
      const { status: _status, ...authorization } = transaction;
      return { ...whose, authorization };
    };
    const ask = (body: object) => {
      const rawBody = JSON.stringify(body);
      const headers = { 'Issuer-Signature': signPayload(secret, now(), rawBody) };
      return send(rawBody, headers, '/issuer/v1/authorizations');
    };

    it('are approved as far as the card has money, and get the same decision again', async () => {
      const before = await available();
      const approved = request({ amount: '1.00', merchantCategory: '5814' });
      const declined = request({ amount: '5000.00' });
      for (const sent of [approved, approved]) expect((await ask(sent)).body).toEqual({ decision: 'approve' });
      for (const sent of [declined, declined]) {
        expect((await ask(sent)).body).toEqual({ decision: 'decline', reason: 'insufficient_card_balance' });
      }
      expect(await available()).toBe(before - 1);
      // The decision is that of the request, also after the payment has ended.
      const { authorization, ...whose } = approved;
      const ended = { ...whose, type: 'transaction', transaction: { ...authorization, status: 'reversed' } };
      expect((await callBack(ended)).status).toBe(200);
      expect((await ask(approved)).body).toEqual({ decision: 'approve' });
      expect(await available()).toBe(before);
      expect((await ask({ ...approved, companyId: other.id })).status).toBe(404);
    });

    it('cannot both have the last dollar', async () => {
      const all = (await available()).toFixed(2);
      const decisions = await Promise.all(Array.from({ length: 6 }, () => ask(request({ amount: all }))));
      const approved = decisions.filter(({ body }) => body['decision'] === 'approve');
      expect(approved).toHaveLength(1);
      expect(await available()).toBe(0);
      const first = await company.account.list<Record<string, string>>('/api/v1/transactions?status=pending&limit=100');
      const held = first.data.find(({ amount }) => amount === all)!;
      const { reference, amount } = held;
      const { transaction } = payment({ reference, amount, status: 'expired' });
      expect((await callBack({ ...payment(), transaction })).status).toBe(200);
    });

    it('are rejected without a valid signature', async () => {
      const body = JSON.stringify(request());
      const headers = { 'Issuer-Signature': signPayload('another-secret', now(), body) };
      expect(codeOf(await send(body, headers, '/issuer/v1/authorizations'))).toEqual([401, 'invalid_key']);
    });
  });

  describe('about card payments', () => {
    it('create a transaction of the company that owns the card', async () => {
      const report = payment({ description: 'Two espressos', amount: '12.5' });
      const before = await available();
      expect((await callBack(report)).status).toBe(200);
      const { data } = await company.account.list('/api/v1/transactions?limit=100');
      expect(data).toContainEqual({
        ...{ id: expect.any(String), cardId: company.cardId, ...report.transaction, amount: '12.50' },
        ...{ authorizedAmount: '12.50', clearedAmount: '0.00', updatedAt: expect.any(String) },
      });
      expect(await available()).toBe(before - 12.5);
      expect((await other.account.list('/api/v1/transactions')).data).toEqual([]);
    });

    it.each([
      ['a purchase that completes', 'purchase', ['pending', 'completed'], -10],
      ['one that is completed at once', 'withdrawal', ['completed'], -10],
      ['one that is reversed', 'purchase', ['pending', 'completed', 'reversed'], 0],
      ['one that expires', 'fee', ['pending', 'expired'], 0],
      ['one that the issuer declined', 'purchase', ['declined'], 0],
      ['a refund that completes', 'refund', ['pending', 'completed'], 10],
      ['a refund that does not', 'refund', ['pending', 'reversed'], 0],
      ['a verification', 'verification', ['pending', 'completed'], 0],
      ['an adjustment', 'adjustment', ['completed'], -10],
    ])('change what is available by the net amount: %s', async (_, type, statuses, moved) => {
      const before = await available();
      const reference = `story-${++references}`;
      for (const status of statuses) {
        const report = payment({ type, reference, status });
        // Each report arrives three times and counts once.
        for (const response of await Promise.all([callBack(report), callBack(report), callBack(report)]))
          expect(response.status).toBe(200);
        expect(await statusOf(reference)).toEqual([status]);
      }
      expect(await available()).toBe(before + moved);
      // An outdated report arrives late.
      expect((await callBack(payment({ type, reference, status: statuses[0] }))).status).toBe(200);
      expect(await available()).toBe(before + moved);
    });

    it('are declined when the card balance is too low', async () => {
      const [report, before] = [payment({ amount: '5000.00' }), await available()];
      for (let time = 1; time <= 2; time++) expect((await callBack(report)).status).toBe(200);
      expect(await statusOf(report.transaction.reference)).toEqual(['declined']);
      expect(await available()).toBe(before);
    });

    it.each<readonly [string, object, object]>([
      ['another amount', { amount: '11.00', status: 'completed' }, {}],
      ['another type', { type: 'fee', status: 'completed' }, {}],
      ['a status that cannot follow', { status: 'declined' }, {}],
      ['a card of another company', { status: 'completed' }, { other: true }],
    ])(
      'are rejected when they contradict an earlier report: %s',
      async (_, fields, { other: elsewhere }: { other?: true }) => {
        const first = payment();
        expect((await callBack(first)).status).toBe(200);
        const before = [await available(), await available(other)];
        const whose = elsewhere ? { companyId: other.id, cardReference: `sim-${other.cardId}` } : {};
        const contrary = payment({ reference: first.transaction.reference, ...fields }, whose);
        expect(codeOf(await callBack(contrary))).toEqual([409, 'idempotency_conflict']);
        expect([await available(), await available(other)]).toEqual(before);
        expect(await statusOf(first.transaction.reference)).toEqual(['pending']);
      },
    );

    it('return 404 for an unknown card, or one of another company or of the sandbox', async () => {
      const sandbox = await operator.newKey(company.id);
      await sandbox.fund('100');
      const sandboxCard = await sandbox.newCard(await sandbox.newHolder(), '10');
      const before = [await available(), await available(other)];
      for (const whose of [
        { cardReference: `sim-${other.cardId}` },
        { companyId: other.id },
        { cardReference: undefined, cardId: other.cardId },
        { cardReference: undefined, cardId: sandboxCard },
        { cardReference: `sandbox-${sandboxCard}` },
        { cardReference: 'no-such-card' },
        { cardReference: undefined, cardId: nowhere },
        { cardReference: undefined, cardId: 'x' },
        { companyId: 'x' },
      ]) {
        expect([whose, ...codeOf(await callBack(payment({}, whose)))]).toEqual([whose, 404, 'not_found']);
      }
      expect([await available(), await available(other)]).toEqual(before);
      expect((await sandbox.card(sandboxCard)).balance).toBe('10.00');
      // The id of the card is accepted as well.
      expect((await callBack(payment({}, { cardReference: undefined, cardId: company.cardId }))).status).toBe(200);
    });

    it.each<readonly [string, () => unknown]>([
      ['text', () => 'hello'],
      ['an empty object', () => ({})],
      ['a list', () => [payment()]],
      ['an unknown type', () => ({ ...payment(), type: 'payment' })],
      ['both names of a card', () => payment({}, { cardId: company.cardId })],
      ['no name of a card', () => payment({}, { cardReference: undefined })],
      ['a number', () => payment({ amount: 10 })],
      ['another currency', () => payment({ currency: 'EUR' })],
      ['no reference', () => payment({ reference: undefined })],
      ['an unknown status', () => payment({ status: 'done' })],
      ['no time', () => payment({ occurredAt: undefined })],
      ['an unknown field', () => payment({ pan: '4242424242424242' })],
    ])('are rejected when they are malformed: %s', async (_, body) => {
      const before = await available();
      expect(codeOf(await callBack(body()))).toEqual([400, 'validation_failed']);
      expect(await available()).toBe(before);
    });
  });

  describe('about an operation in review', () => {
    const outcome = (operationId: string, fields: object = {}) => ({
      ...{ type: 'operation', operationId, companyId: company.id, amount: amountFor('serverError') },
      ...{ outcome: 'accepted', receipt: 'R-1', card: { last4: '1881', reference: `crd-${operationId}` } },
      ...fields,
    });
    const declined = { outcome: 'declined', receipt: undefined, card: undefined, code: 'no_such_card', message: 'No.' };
    const lateAnswers = async (id: string): Promise<Record<string, unknown>[]> => {
      const { data } = expectBody<{ data: { id: string; lateAnswers: Record<string, unknown>[] }[] }>(
        await operator.get('/operator/v1/reviews?limit=100'),
        200,
      );
      return data.find((review) => review.id === id)!.lateAnswers;
    };

    async function inReview(): Promise<string> {
      const { data } = await company.account.list<{ id: string }>('/api/v1/holders?status=active');
      const done = await company.account.outcomeOf(issue(data[0]!.id, amountFor('serverError')));
      expect(done.status).toBe('manual_review');
      return done.id;
    }

    it('are recorded once for the operator and move no funds', async () => {
      const id = await inReview();
      const before = [await company.account.funds(), await company.account.operation(id)];
      for (let time = 1; time <= 3; time++) expect((await callBack(outcome(id))).body).toEqual({});
      expect((await callBack(outcome(id, declined))).status).toBe(200);
      expect([await company.account.funds(), await company.account.operation(id)]).toEqual(before);
      expect(await lateAnswers(id)).toMatchObject([
        {
          answer: { outcome: 'accepted', receipt: 'R-1', last4: '1881', cardReference: `crd-${id}` },
          matches: true,
        },
        { answer: { outcome: 'declined', code: 'no_such_card', message: 'No.' }, matches: true },
      ]);
      // The operator still decides, and the reported details are used.
      expectBody(await operator.resolve(id, 'completed'), 200);
      const { result } = await company.account.operation(id);
      expect(result).toMatchObject({ receipt: 'R-1' });
      expect(await company.account.card(result.cardId!)).toMatchObject({ last4: '1881' });
    });

    it('with another amount are recorded as a mismatch, and their details are not used', async () => {
      const id = await inReview();
      const before = [await company.account.funds(), await company.account.operation(id)];
      expect((await callBack(outcome(id, { amount: '999.99' }))).status).toBe(200);
      expect(await lateAnswers(id)).toMatchObject([{ matches: false }]);
      expect(codeOf(await operator.resolve(id, 'completed'))).toEqual([400, 'validation_failed']);
      expect([await company.account.funds(), await company.account.operation(id)]).toEqual(before);
    });

    it('in the name of another company change nothing for either', async () => {
      const id = await inReview();
      const before = [await company.account.funds(), await company.account.operation(id), await other.account.funds()];
      for (const companyId of [other.id, nowhere, 'x']) {
        expect(codeOf(await callBack(outcome(id, { companyId })))).toEqual([404, 'not_found']);
      }
      expect(await lateAnswers(id)).toEqual([]);
      expect(codeOf(await operator.resolve(id, 'completed'))).toEqual([400, 'validation_failed']);
      const after = [await company.account.funds(), await company.account.operation(id), await other.account.funds()];
      expect(after).toEqual(before);
    });

    it('do not change an operation that has ended', async () => {
      const [done, failed] = [
        await company.account.outcomeOf(service('25.00')),
        await company.account.outcomeOf(service(amountFor('declined'))),
      ];
      const before = await company.account.funds();
      for (const { id, amount } of [done, failed]) {
        for (const fields of [{ amount }, { amount, ...declined }]) {
          expect((await callBack(outcome(id, fields))).status).toBe(200);
        }
      }
      expect(await company.account.operation(done.id)).toEqual(done);
      expect(await company.account.operation(failed.id)).toEqual(failed);
      expect(await company.account.funds()).toEqual(before);
    });

    it('return 404 for an operation that does not exist in live', async () => {
      const sandbox = await operator.newKey(company.id);
      await sandbox.fund('100');
      const { id } = await sandbox.outcomeOf(service('10.92'));
      for (const unknown of [nowhere, 'x', id]) {
        expect(codeOf(await callBack(outcome(unknown, { amount: '10.92' })))).toEqual([404, 'not_found']);
      }
      expect((await sandbox.operation(id)).status).toBe('manual_review');
    });

    it.each<readonly [string, object]>([
      ['no amount', { amount: undefined }],
      ['no outcome', { outcome: undefined }],
      ['five digits', { card: { last4: '18811' } }],
      ['a yes with a code', { code: 'no_such_card' }],
    ])('are rejected when they are malformed: %s', async (_, fields) => {
      expect(codeOf(await callBack(outcome(nowhere, fields)))).toEqual([400, 'validation_failed']);
    });
  });

  it.each(['0000-01-01T00:00:00Z', '9999-12-31T23:59:59-14:00', 'yesterday'])(
    'are rejected with a time outside the supported range (%s), and later callbacks are processed',
    async (occurredAt) => {
      expect(codeOf(await callBack(payment({ occurredAt })))).toEqual([400, 'validation_failed']);
      expect((await callBack(payment())).status).toBe(200);
      expect((await company.account.get('/api/v1/cards')).status).toBe(200);
    },
  );
});
