import { randomId } from '@florin/kernel';
import type { ApiKeyView } from '@florin/read-models';
import { OperationsApp } from '../../testing/operations-app';

const withIssuer = new OperationsApp();
const withoutIssuer = new OperationsApp();

beforeAll(async () => {
  await withIssuer.start({ liveIssuer: true });
  await withoutIssuer.start({ liveIssuer: false });
});
afterAll(() => Promise.all([withIssuer.close(), withoutIssuer.close()]));

interface Attempt {
  api: OperationsApp;
  key: Partial<ApiKeyView>;
  headers: Record<string, string | undefined>;
  body: Record<string, unknown>;
  payload?: string;
}

const valid = (): Attempt => ({
  api: withIssuer,
  key: { environment: 'live', scopes: ['services:write'], activations: ['services'] },
  headers: { 'content-type': 'application/json', 'idempotency-key': 'one' },
  body: { type: 'service', productId: 'airtime', amount: '5.00', expectedTotal: '5.00', recipient: 'Ida' },
});

/** In the order in which they are reported. Unless its name says otherwise, each leaves the body's type valid. */
const violations: readonly [string, string, (attempt: Attempt) => void][] = [
  ['no key', 'invalid_key', ({ headers }) => (headers['authorization'] = '')],
  ['no verification', 'verification_required', ({ key }) => Object.assign(key, { verification: 'pending' })],
  ['no scope at all', 'scope_missing', ({ key }) => Object.assign(key, { scopes: ['cards:read'] })],
  ['the scope of another type', 'scope_missing', ({ key }) => Object.assign(key, { scopes: ['cards:write'] })],
  ['no issuer in live', 'capability_inactive', (attempt) => (attempt.api = withoutIssuer)],
  ['no activation', 'capability_inactive', ({ key }) => Object.assign(key, { activations: [] })],
  ['no idempotency key', 'validation_failed', ({ headers }) => delete headers['idempotency-key']],
  ['a wrong amount', 'validation_failed', ({ body }) => (body['amount'] = 5)],
  ['a field of another type', 'validation_failed', ({ body }) => (body['cardId'] = randomId())],
];

async function send(attempt: Attempt): Promise<unknown> {
  const { authorization, ...headers } = attempt.headers;
  const request = {
    method: 'POST' as const,
    url: '/api/v1/operations',
    headers,
    payload: attempt.payload ?? JSON.stringify(attempt.body),
  };
  attempt.api.bus.accept({ type: 'service', amount: '5.00', fee: '0.00', total: '5.00', createdAt: '' });
  const sent =
    authorization === undefined
      ? await attempt.api.as(attempt.key, request)
      : await attempt.api.send(authorization, request);
  return sent.status === 201 ? 'accepted' : sent.body['code'];
}

const pairs = violations.flatMap((first, index) =>
  violations.slice(index + 1).map((second) => [first[0], second[0], first, second] as const),
);

describe('An operation request', () => {
  it('is granted with all permissions', async () => {
    expect(await send(valid())).toBe('accepted');
  });

  it.each(pairs)('is denied for %s before %s', async (_first, _second, [, code, violate], [, , violateToo]) => {
    const attempt = valid();
    violateToo(attempt);
    violate(attempt);
    expect(await send(attempt)).toBe(code);
  });

  it.each([
    ['issue', { activations: [] }, 'validation_failed'],
    ['topup', { activations: [] }, 'validation_failed'],
    ['issue', { scopes: ['services:write'] }, 'scope_missing'],
    ['topup', { scopes: ['services:write'] }, 'scope_missing'],
  ] as const)('as type %s with %j ends in %s', async (type, change, code) => {
    const attempt = valid();
    Object.assign(attempt.key, { scopes: ['cards:write'] }, change);
    attempt.body['type'] = type;
    expect(await send(attempt)).toBe(code);
  });

  it('needs neither issuer nor activation in the sandbox', async () => {
    const attempt = valid();
    Object.assign(attempt, { api: withoutIssuer });
    Object.assign(attempt.key, { environment: 'sandbox', activations: [] });
    expect(await send(attempt)).toBe('accepted');
  });

  it.each(['{"type":', 'null', '[]', '"service"', '{"type":"__proto__"}', '{"type":"burn"}', '{}'])(
    'is validated after the issuer check if it has no valid type: %s',
    async (payload) => {
      const attempt = { ...valid(), payload };
      expect(await send(attempt)).toBe('validation_failed');
      expect(await send({ ...attempt, api: withoutIssuer })).toBe('capability_inactive');
    },
  );

  it('is granted immediately after activation, on every replica', async () => {
    const { api, key, body } = valid();
    const secret = api.keys.add({ ...key, activations: [] });
    const headers = { 'idempotency-key': 'two' };
    const request = { method: 'POST' as const, url: '/api/v1/operations', payload: body, headers };
    expect((await api.send(`Bearer ${secret}`, request)).body).toMatchObject({ code: 'capability_inactive' });
    api.keys.change(secret, { activations: ['services'] });
    expect((await api.send(`Bearer ${secret}`, request)).status).toBe(201);
  });
});
