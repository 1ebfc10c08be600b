import { randomId } from '@florin/kernel';
import type { ApiKeyView } from '@florin/read-models';
import { Controller } from '@nestjs/common';
import type { InjectOptions } from 'fastify';
import { z } from 'zod';
import { Endpoint, type Input } from './endpoint';
import { ApiError, notFound } from './errors/api-error';
import { cardId, paramsOf } from './ids';
import { amount } from './schemas';
import { startTestApp, type TestApp } from './testing/test-app';

const bodySchema = z.strictObject({ amount });
const idParams = paramsOf(cardId);
const known = randomId();

/** A use case that checks existence, then conflicts, then business rules, like every use case. */
@Controller()
class ThingsController {
  @Endpoint({
    method: 'POST',
    path: '/api/v1/things/:id',
    operationId: 'things.change',
    tag: 'Things',
    summary: 'Use a thing',
    scope: ['services:write', 'cards:write'],
    capability: 'services',
    idempotency: 'required',
    body: bodySchema,
    params: idParams,
    response: { status: 201, description: 'Used.' },
  })
  async use({ body, params }: Input<typeof bodySchema, undefined, typeof idParams>): Promise<object> {
    if (params.id !== known) throw notFound('There is no such thing.');
    if (body.amount.endsWith('.09')) throw new ApiError('quote_changed', 'The total is another one now.');
    if (body.amount.startsWith('0')) throw new ApiError('amount_below_minimum', 'amount must be at least 1.00.');
    return {};
  }
}

interface Attempt {
  key: Partial<ApiKeyView>;
  headers: Record<string, string | undefined>;
  path: string;
  query: string;
  amount: [whole: string, cents: string];
  payload?: string;
  spendLimit?: boolean;
}

const valid = (): Attempt => ({
  key: { companyId: randomId(), environment: 'live', scopes: ['services:write'], activations: ['services'] },
  headers: { 'content-type': 'application/json', 'idempotency-key': 'one' },
  path: `/api/v1/things/${known}`,
  query: '',
  amount: ['10', '00'],
});

/** In the order in which they are reported. */
const violations: readonly [string, string, (attempt: Attempt) => void][] = [
  ['no key', 'invalid_key', ({ headers }) => (headers['authorization'] = '')],
  ['an expired key', 'invalid_key', ({ key }) => Object.assign(key, { expiresAt: '2025-12-31T23:59:59.999Z' })],
  ['a revoked key', 'invalid_key', ({ key }) => Object.assign(key, { revokedAt: '2025-12-31T23:59:59.999Z' })],
  ['too many requests', 'rate_limited', (attempt) => (attempt.spendLimit = true)],
  ['no verification', 'verification_required', ({ key }) => Object.assign(key, { verification: 'pending' })],
  ['no scope', 'scope_missing', ({ key }) => Object.assign(key, { scopes: ['cards:read'] })],
  ['no capability', 'capability_inactive', ({ key }) => Object.assign(key, { activations: ['direct_invoices'] })],
  ['no idempotency key', 'validation_failed', ({ headers }) => delete headers['idempotency-key']],
  ['another content type', 'validation_failed', ({ headers }) => (headers['content-type'] = 'text/plain')],
  ['malformed JSON', 'validation_failed', (attempt) => (attempt.payload = '{"amount":')],
  [
    'a large body',
    'validation_failed',
    (attempt) => (attempt.payload = JSON.stringify({ amount: ' '.repeat(65_536) })),
  ],
  ['an unknown field', 'validation_failed', (attempt) => (attempt.payload = '{"amount":"1.00","amonut":"1.00"}')],
  ['an unknown parameter', 'validation_failed', (attempt) => (attempt.query = '?dryRun=true')],
  ['an unknown id', 'not_found', (attempt) => (attempt.path = `/api/v1/things/${randomId()}`)],
  ['an impossible id', 'not_found', (attempt) => (attempt.path = '/api/v1/things/unknown')],
  ['a changed quote', 'quote_changed', ({ amount }) => (amount[1] = '09')],
  ['an amount too small', 'amount_below_minimum', ({ amount }) => (amount[0] = '0')],
];

let test: TestApp;

beforeAll(async () => {
  test = await startTestApp({ controllers: [ThingsController], options: { rateLimits: { live: 2, sandbox: 2 } } });
});

afterAll(() => test.app.close());

async function send(attempt: Attempt): Promise<{ status: number; code: string | undefined }> {
  const key = test.keys.add(attempt.key);
  const { authorization, ...headers } = attempt.headers;
  const request: InjectOptions = {
    method: 'POST',
    url: attempt.path + attempt.query,
    headers: { authorization: authorization ?? `Bearer ${key}`, ...headers },
    payload: attempt.payload ?? JSON.stringify({ amount: attempt.amount.join('.') }),
  };
  if (attempt.spendLimit) for (let count = 0; count < 2; count++) await test.app.inject(request);
  const response = await test.app.inject(request);
  return { status: response.statusCode, code: response.json<{ code?: string }>().code };
}

const pairs = violations.flatMap((first, index) =>
  violations.slice(index + 1).map((second) => [first[0], second[0], first, second] as const),
);

describe('The order of checks', () => {
  it('accepts a valid request', async () => {
    expect(await send(valid())).toEqual({ status: 201, code: undefined });
  });

  it.each(violations)('reports %s as %s', async (_name, code, violate) => {
    const attempt = valid();
    violate(attempt);
    expect((await send(attempt)).code).toBe(code);
  });

  it.each(pairs)('reports %s before %s', async (_first, _second, [, code, violate], [, , violateToo]) => {
    const attempt = valid();
    violateToo(attempt);
    violate(attempt);
    expect((await send(attempt)).code).toBe(code);
  });
});

const listQuery = z.strictObject({ ref: cardId.optional() });

@Controller()
class SandboxController {
  @Endpoint({
    method: 'POST',
    path: '/api/v1/sandbox/things/:id',
    operationId: 'sandbox.changeThing',
    tag: 'Sandbox',
    summary: 'Simulate a thing',
    scope: 'cards:write',
    sandboxOnly: true,
    query: listQuery,
    params: idParams,
    response: { status: 200, description: 'Simulated.' },
  })
  async simulate(): Promise<object> {
    return {};
  }
}

describe('A sandbox endpoint', () => {
  let sandbox: TestApp;

  beforeAll(async () => {
    sandbox = await startTestApp({ controllers: [SandboxController] });
  });

  afterAll(() => sandbox.app.close());

  it.each([
    ['accepts a sandbox key', 'sandbox', `/api/v1/sandbox/things/${known}`, undefined],
    ['rejects a live key', 'live', `/api/v1/sandbox/things/${known}`, 'sandbox_only'],
    ['rejects a live key before it checks the id', 'live', '/api/v1/sandbox/things/unknown', 'sandbox_only'],
    ['validates the query first', 'live', `/api/v1/sandbox/things/${known}?reff=1`, 'validation_failed'],
  ] as const)('%s', async (_name, environment, url, code) => {
    const authorization = `Bearer ${sandbox.keys.add({ environment })}`;
    const response = await sandbox.app.inject({ method: 'POST', url, headers: { authorization } });
    expect(response.json<{ code?: string }>().code).toBe(code);
  });
});
