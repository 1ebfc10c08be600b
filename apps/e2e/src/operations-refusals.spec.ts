import { randomUUID } from 'node:crypto';
import { Account, codeOf, expectBody } from './harness/account';
import type { ApiResponse } from './harness/client';
import { Operator } from './harness/operator';
import { sharedFlorin } from './harness/florin';
import type { RunningFlorin } from './harness/running-florin';
import { issue, service, topup, type Order, without } from './harness/orders';

const nowhere = '00000000-0000-4000-8000-000000000000';

interface Company {
  readonly id: string;
  readonly account: Account;
  readonly holderId: string;
  readonly blockedHolderId: string;
  /** An idempotency key that the company has used. */
  readonly usedKey: string;
}

describe('rejected operations', () => {
  let florin: RunningFlorin;
  let operator: Operator;
  let rich: Company;
  let poor: Company;
  let unverified: string;
  let cardId: string;
  let frozenCardId: string;

  beforeAll(async () => {
    florin = await sharedFlorin();
    operator = new Operator(florin);
    [rich, poor] = [await newCompany('1000.00'), await newCompany('10.00')];
    unverified = await operator.newCompany({ verification: 'pending' });
    cardId = await rich.account.newCard(rich.holderId);
    frozenCardId = await rich.account.newCard(rich.holderId);
    expectBody(await rich.account.post(`/api/v1/cards/${frozenCardId}/freeze`), 200);
  });

  /** The company spends 10.00 of the amount, so an account with 10.00 has nothing left. */
  async function newCompany(amount: string): Promise<Company> {
    const id = await operator.newCompany();
    const account = await operator.newKey(id);
    await account.fund(amount);
    const [holderId, blockedHolderId] = [await account.newHolder(), await account.newHolder()];
    expectBody(await operator.post(`/operator/v1/holders/${blockedHolderId}/status`, { status: 'blocked' }), 200);
    const usedKey = randomUUID();
    expectBody(await account.operate(service('10'), usedKey), 201);
    return { id, account, holderId, blockedHolderId, usedKey };
  }

  interface Attempt {
    anonymous: boolean;
    verified: boolean;
    environment: 'sandbox' | 'live';
    scopes: string[];
    company: Company;
    holder: (company: Company) => string;
    key: (company: Company) => string | undefined;
    order: Partial<Record<keyof Order, unknown>>;
  }

  const valid = (): Attempt => ({
    anonymous: false,
    verified: true,
    environment: 'sandbox',
    scopes: ['cards:write'],
    company: rich,
    holder: ({ holderId }) => holderId,
    key: () => randomUUID(),
    order: { type: 'issue', productId: 'virtual-usd', amount: '10.00', expectedTotal: '13.02' },
  });

  /** In the order of the checks. */
  const violations: readonly (readonly [string, readonly [number, string], (attempt: Attempt) => void])[] = [
    ['no key', [401, 'invalid_key'], (attempt) => (attempt.anonymous = true)],
    ['no verification', [403, 'verification_required'], (attempt) => (attempt.verified = false)],
    ['no scope', [403, 'scope_missing'], (attempt) => (attempt.scopes = ['services:write'])],
    ['no live issuer', [403, 'capability_inactive'], (attempt) => (attempt.environment = 'live')],
    ['a wrong shape', [400, 'validation_failed'], ({ order }) => (order.recipient = 'Ida')],
    ['no idempotency key', [400, 'validation_failed'], (attempt) => (attempt.key = () => undefined)],
    ['an unknown holder', [404, 'not_found'], (attempt) => (attempt.holder = () => nowhere)],
    ['a key used before', [409, 'idempotency_conflict'], (attempt) => (attempt.key = ({ usedKey }) => usedKey)],
    ['an unknown product', [400, 'product_unavailable'], ({ order }) => (order.productId = 'no-such-product')],
    ['another total', [409, 'quote_changed'], ({ order }) => (order.expectedTotal = '1.00')],
    ['too little', [400, 'amount_below_minimum'], ({ order }) => setAmount(order, '9.99', '13.01')],
    [
      'a blocked holder',
      [400, 'holder_not_active'],
      (attempt) => (attempt.holder = (company) => company.blockedHolderId),
    ],
    ['too little money', [400, 'insufficient_funds'], (attempt) => (attempt.company = poor)],
  ];

  function setAmount(order: Attempt['order'], amount: string, total: string): void {
    order.amount = amount;
    if (order.expectedTotal !== '1.00') order.expectedTotal = total;
  }

  const keys = new Map<string, Promise<Account>>();

  async function send({ company, ...attempt }: Attempt): Promise<ApiResponse> {
    const companyId = attempt.verified ? company.id : unverified;
    const { environment, scopes } = attempt;
    const name = [companyId, environment, ...scopes].join(' ');
    if (!keys.has(name)) keys.set(name, operator.newKey(companyId, environment, scopes));
    const account = attempt.anonymous ? new Account(florin.baseUrl, undefined) : await keys.get(name)!;
    const key = attempt.key(company);
    const body = { ...attempt.order, holderId: attempt.holder(company) };
    return account.post('/api/v1/operations', body, key === undefined ? {} : { 'Idempotency-Key': key });
  }

  it('are accepted without any violation', async () => {
    expect((await send(valid())).status).toBe(201);
  });

  it.each(violations)('are rejected for %s', async (_, refusal, violate) => {
    const attempt = valid();
    violate(attempt);
    const response = await send(attempt);
    expect(response.body).toEqual({
      statusCode: refusal[0],
      code: refusal[1],
      message: expect.stringMatching(/^\S.{20,}/),
      requestId: response.headers.get('x-request-id'),
    });
  });

  it('report the first of two violations in the documented order', async () => {
    const pairs = violations.flatMap((first, index) =>
      violations.slice(index + 1).map((second) => [first, second] as const),
    );
    const reported = await Promise.all(
      pairs.map(async ([first, second]) => {
        const attempt = valid();
        // The later one first: if both change the same field, the earlier one wins.
        for (const [, , violate] of [second, first]) violate(attempt);
        return `${first[0]}, ${second[0]}: ${String((await send(attempt)).body['code'])}`;
      }),
    );
    expect(reported).toEqual(pairs.map(([first, second]) => `${first[0]}, ${second[0]}: ${first[1][1]}`));
  });

  it('change nothing', async () => {
    const before = [await rich.account.funds(), await rich.account.list('/api/v1/operations?limit=100')];
    for (const [name, , violate] of violations) {
      const attempt = valid();
      violate(attempt);
      expect([name, (await send(attempt)).status]).not.toEqual([name, 201]);
    }
    expect([await rich.account.funds(), await rich.account.list('/api/v1/operations?limit=100')]).toEqual(before);
    expect(await poor.account.funds()).toEqual(['0.00', '0.00']);
    expect((await poor.account.list('/api/v1/operations')).data).toHaveLength(1);
  });

  it('name the expected value', async () => {
    const message = async (order: object): Promise<unknown> => (await rich.account.operate(order)).body['message'];
    expect(await message(issue(rich.holderId, '100', { expectedTotal: '103' }))).toContain('103.20');
    expect(await message(issue(rich.holderId, '9'))).toContain('10.00');
    expect(await message(topup(cardId, '50', { productId: 'business-usd' }))).toContain('virtual-usd');
    expect(await message(service('5000'))).toMatch(/5000\.00 is needed and \d+\.\d\d is available/);
  });

  it.each<readonly [string, readonly [number, string], () => object]>([
    ['an invalid id', [404, 'not_found'], () => issue('me')],
    ['a holder for a card', [404, 'not_found'], () => topup(rich.holderId)],
    ['an unknown card', [404, 'not_found'], () => topup(nowhere)],
    ['a frozen card', [400, 'card_not_active'], () => topup(frozenCardId)],
    [
      'another product than the card',
      [400, 'validation_failed'],
      () => topup(cardId, '50', { productId: 'business-usd' }),
    ],
    ['a top-up below 10', [400, 'amount_below_minimum'], () => topup(cardId, '9.99')],
    ['a service below its minimum', [400, 'amount_below_minimum'], () => service('0.99')],
    ['a service of a card product', [400, 'product_unavailable'], () => service('10', { productId: 'virtual-usd' })],
    [
      'a card of a service',
      [400, 'product_unavailable'],
      () => issue(rich.holderId, '10', { productId: 'courier-delivery' }),
    ],
    ['a cent too much', [409, 'quote_changed'], () => topup(cardId, '100', { expectedTotal: '100.21' })],
  ])('are rejected for %s', async (_, refusal, order) => {
    expect(codeOf(await rich.account.operate(order()))).toEqual(refusal);
  });

  it.each<readonly [string, () => unknown]>([
    ['without a type', () => without(service(), 'type')],
    ['of an unknown type', () => service('10', { type: 'refund' })],
    ['without a product', () => without(service(), 'productId')],
    ['with a product id that cannot be', () => service('10', { productId: 'No such product' })],
    ['without an amount', () => without(service(), 'amount')],
    ['with a number for an amount', () => ({ ...service(), amount: 25 })],
    ['with three decimals', () => service('25.001')],
    ['with a negative amount', () => ({ ...service(), amount: '-25.00' })],
    ['with 13 digits', () => service('1000000000000')],
    ['without an expected total', () => without(service(), 'expectedTotal')],
    ['with a number for an expected total', () => ({ ...service(), expectedTotal: 25 })],
    ['of a card without a holder', () => without(issue(rich.holderId), 'holderId')],
    ['of a card with a card id', () => ({ ...issue(rich.holderId), cardId })],
    ['of a card with a recipient', () => ({ ...issue(rich.holderId), recipient: 'Ida' })],
    ['that top up nothing', () => without(topup(cardId), 'cardId')],
    ['that top up a holder', () => ({ ...topup(cardId), holderId: rich.holderId })],
    ['that rename what they top up', () => ({ ...topup(cardId), name: 'Other' })],
    ['of a service without a recipient', () => without(service(), 'recipient')],
    ['of a service with a name', () => ({ ...service(), name: 'Other' })],
    ['of a service with a card', () => ({ ...service(), cardId })],
    ['with an unknown field', () => ({ ...service(), currency: 'USD' })],
    ['that are a list', () => [service()]],
    ['that are null', () => null],
  ])('are rejected %s', async (_, order) => {
    const response = await rich.account.post('/api/v1/operations', order(), { 'Idempotency-Key': randomUUID() });
    expect(codeOf(response)).toEqual([400, 'validation_failed']);
    expect(typeof response.body['message']).toBe('string');
  });

  it.each<readonly [string, { rawBody: string; headers?: Record<string, string> }]>([
    ['that is not JSON', { rawBody: '{"type":' }],
    ['of another type', { rawBody: JSON.stringify(service()), headers: { 'Content-Type': 'text/plain' } }],
    ['over 64 KiB', { rawBody: JSON.stringify({ ...service(), recipient: 'x'.repeat(65_536) }) }],
    ['that is empty', { rawBody: '' }],
  ])('are rejected for a body %s', async (_, { rawBody, headers }) => {
    const sent = { rawBody, headers: { 'Idempotency-Key': randomUUID(), ...headers } };
    expect(codeOf(await rich.account.send('POST', '/api/v1/operations', sent))).toEqual([400, 'validation_failed']);
  });

  it.each([
    ['too long', 'x'.repeat(129)],
    ['empty', ''],
    ['with a space', 'a b'],
    ['with more than ASCII', 'clé'],
  ])('are rejected with an idempotency key %s', async (_, key) => {
    expect(codeOf(await rich.account.operate(service(), key))).toEqual([400, 'validation_failed']);
  });

  it('are rejected with a query', async () => {
    const response = await rich.account.post('/api/v1/operations?dryRun=true', service(), { 'Idempotency-Key': 'q' });
    expect(codeOf(response)).toEqual([400, 'validation_failed']);
  });

  it('are not found under an unknown id', async () => {
    for (const id of [nowhere, 'x', cardId]) {
      expect(codeOf(await rich.account.get(`/api/v1/operations/${id}`))).toEqual([404, 'not_found']);
    }
  });
});
