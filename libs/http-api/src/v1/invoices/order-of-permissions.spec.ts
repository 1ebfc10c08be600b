import type { ApiKeyView } from '@florin/read-models';
import { OperationsApp } from '../../testing/operations-app';
import { FundingApiModule } from '../funding-api.module';

const withChain = new OperationsApp([FundingApiModule]);
const withoutChain = new OperationsApp([FundingApiModule]);

beforeAll(async () => {
  await withChain.start({ liveChain: true, liveIssuer: false });
  await withoutChain.start({ liveChain: false, liveIssuer: true });
});
afterAll(() => Promise.all([withChain.close(), withoutChain.close()]));

interface Attempt {
  api: OperationsApp;
  key: Partial<ApiKeyView>;
  headers: Record<string, string | undefined>;
  payload: string;
  refusal?: string;
}

const valid = (): Attempt => ({
  api: withChain,
  key: { environment: 'live', scopes: ['funding:write'], activations: ['direct_invoices'] },
  headers: { 'content-type': 'application/json', 'idempotency-key': 'one' },
  payload: '{"amount":"100"}',
});

/** In the order in which they are reported. */
const violations: readonly [string, string, (attempt: Attempt) => void][] = [
  ['no key', 'invalid_key', ({ headers }) => (headers['authorization'] = '')],
  ['no verification', 'verification_required', ({ key }) => Object.assign(key, { verification: 'pending' })],
  ['no scope', 'scope_missing', ({ key }) => Object.assign(key, { scopes: ['funding:read'] })],
  ['no chain in live', 'capability_inactive', (attempt) => (attempt.api = withoutChain)],
  ['another activation', 'capability_inactive', ({ key }) => Object.assign(key, { activations: ['services'] })],
  ['no idempotency key', 'validation_failed', ({ headers }) => delete headers['idempotency-key']],
  ['malformed JSON', 'validation_failed', (attempt) => (attempt.payload = '{"amount":')],
  ['cents', 'validation_failed', (attempt) => (attempt.payload = '{"amount":"0.01"}')],
  ['a business rule', 'unresolved_invoice_exists', (attempt) => (attempt.refusal = 'unresolved_invoice_exists')],
];

async function send({ api, key, headers: { authorization, ...headers }, payload, refusal }: Attempt) {
  const request = { method: 'POST' as const, url: '/api/v1/card-account/invoices', headers, payload };
  api.bus.accept({});
  if (refusal !== undefined) api.bus.refuse(refusal, 'The reason.');
  return authorization === undefined ? api.as(key, request) : api.send(authorization, request);
}

const codeOf = async (attempt: Attempt) => {
  const { status, body } = await send(attempt);
  return status === 201 ? 'accepted' : body['code'];
};

const pairs = violations.flatMap((first, index) =>
  violations.slice(index + 1).map((second) => [first[0], second[0], first, second] as const),
);

describe('An invoice', () => {
  it('is granted with all permissions', async () => {
    expect(await codeOf(valid())).toBe('accepted');
  });

  it.each(violations)('is denied for %s with %s', async (_name, code, violate) => {
    const attempt = valid();
    violate(attempt);
    expect(await codeOf(attempt)).toBe(code);
  });

  it.each(pairs)('is denied for %s before %s', async (_first, _second, [, code, violate], [, , violateToo]) => {
    const attempt = valid();
    violateToo(attempt);
    violate(attempt);
    expect(await codeOf(attempt)).toBe(code);
  });

  it('is denied in live if no chain is connected', async () => {
    const { body } = await send({ ...valid(), api: withoutChain });
    const message = 'No TRON node is connected to live yet: use the sandbox until live is available.';
    expect(body).toMatchObject({ statusCode: 403, code: 'capability_inactive', message });
  });

  it('needs neither chain nor activation in the sandbox', async () => {
    const attempt = { ...valid(), api: withoutChain };
    Object.assign(attempt.key, { environment: 'sandbox', activations: [] });
    expect(await codeOf(attempt)).toBe('accepted');
  });

  it('can be read in live without chain and activation', async () => {
    const key: Partial<ApiKeyView> = { environment: 'live', scopes: ['funding:read'], activations: [] };
    const { status } = await withoutChain.as(key, { url: '/api/v1/card-account/invoices' });
    expect(status).toBe(200);
  });

  it('is granted immediately after activation, on every replica', async () => {
    const { api, key, headers, payload } = valid();
    const secret = api.keys.add({ ...key, activations: [] });
    const request = { method: 'POST' as const, url: '/api/v1/card-account/invoices', payload, headers };
    api.bus.accept({});
    expect((await api.send(`Bearer ${secret}`, request)).body).toMatchObject({ code: 'capability_inactive' });
    api.keys.change(secret, { activations: ['direct_invoices'] });
    expect((await api.send(`Bearer ${secret}`, request)).status).toBe(201);
  });
});
