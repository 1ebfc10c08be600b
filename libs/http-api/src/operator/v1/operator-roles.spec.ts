import { type OperatorRole, operatorRoles } from '@florin/companies-domain';
import { EVENT_STORE, LOG_CHECKPOINTS } from '@florin/event-sourcing';
import { AccountEntriesQueries, AdjustmentQueries, ExplanationQueries, WebhookQueries } from '@florin/read-models';
import { SECRET_VAULT } from '@florin/webhooks-domain';
import type { InjectionToken } from '@nestjs/common';
import type { LightMyRequestResponse } from 'fastify';
import { apiModules } from '../../api-modules';
import { operatorToken, startTestApp, type TestApp } from '../../testing/test-app';
import { TestViews } from '../../testing/test-views';

const everyone = operatorRoles;
const support: readonly OperatorRole[] = ['support', 'admin'];
const finance: readonly OperatorRole[] = ['finance', 'admin'];
const admin: readonly OperatorRole[] = ['admin'];

/** Who may use which endpoint. A new endpoint needs an entry. */
const permitted: Readonly<Record<string, readonly OperatorRole[]>> = {
  'POST /operator/v1/companies': admin,
  'GET /operator/v1/companies': everyone,
  'POST /operator/v1/companies/:id/verification': admin,
  'POST /operator/v1/companies/:id/activations': admin,
  'POST /operator/v1/companies/:id/keys': admin,
  'GET /operator/v1/companies/:id/keys': everyone,
  'POST /operator/v1/keys/:id/rotate': admin,
  'POST /operator/v1/keys/:id/revoke': admin,
  'POST /operator/v1/companies/:id/adjustments': finance,
  'GET /operator/v1/companies/:id/adjustments': everyone,
  'POST /operator/v1/adjustments/:id/confirm': finance,
  'GET /operator/v1/adjustments/:id': everyone,
  'GET /operator/v1/approvals': everyone,
  'POST /operator/v1/approvals/:id/withdraw': finance,
  'POST /operator/v1/operators': admin,
  'GET /operator/v1/operators': everyone,
  'GET /operator/v1/operators/me': everyone,
  'GET /operator/v1/operators/:id': everyone,
  'POST /operator/v1/operators/:id/role': admin,
  'POST /operator/v1/operators/:id/rotate': admin,
  'POST /operator/v1/operators/:id/disable': admin,
  'GET /operator/v1/reviews': everyone,
  'POST /operator/v1/reviews/:id/resolve': finance,
  'GET /operator/v1/deposits': everyone,
  'POST /operator/v1/tron/verifications': finance,
  'GET /operator/v1/products': everyone,
  'PUT /operator/v1/products/:id': admin,
  'POST /operator/v1/cards/:id/status': support,
  'POST /operator/v1/holders/:id/status': support,
  'POST /operator/v1/holders/:id/erase': support,
  'GET /operator/v1/holders/:id/erasure': support,
  'GET /operator/v1/log/checkpoints': everyone,
  'GET /operator/v1/explain/:kind/:id': everyone,
};

/** The routes that need neither a key nor a token. A new one needs an entry. */
const publicRoutes: readonly string[] = [
  'GET /',
  'GET /api/v1/openapi.json',
  'GET /operator/v1/openapi.json',
  'GET /reference',
  'GET /reference/scalar.js',
  'GET /pay/page.css',
  'GET /pay/page.js',
  // Authenticated by the token in the path.
  'GET /pay/:token',
  'GET /pay/:token/state',
  'GET /sandbox/reveals/:token',
  // Authenticated by a signature over the body.
  'POST /issuer/v1/authorizations',
  'POST /issuer/v1/callbacks',
];

/** Every operator endpoint rejects this parameter with 400, but only once the request is authorized. */
const unknownParameter = 'no-such-parameter=1';

describe('Every operator endpoint', () => {
  let test: TestApp;
  const tokens = new Map<OperatorRole, string>();

  beforeAll(async () => {
    const unused: readonly InjectionToken[] = [
      ...[AccountEntriesQueries, AdjustmentQueries, ExplanationQueries, WebhookQueries],
      ...[EVENT_STORE, LOG_CHECKPOINTS, SECRET_VAULT],
    ];
    test = await startTestApp({
      modules: apiModules,
      standIns: new Map([...new TestViews().standIns(), ...unused.map((token) => [token, {}] as const)]),
    });
    for (const role of operatorRoles) tokens.set(role, test.operators.add({ role }));
  });
  afterAll(() => test.app.close());

  /** Fastify adds a HEAD route to every GET route. */
  const routes = (): readonly string[] => test.routes.filter((route) => !route.startsWith('HEAD '));

  function request(endpoint: string, token?: string): Promise<LightMyRequestResponse> {
    const [method, path] = endpoint.split(' ') as ['GET' | 'HEAD' | 'POST' | 'PUT', string];
    const url = `${path.replace(':id', '0bed0000-0000-4000-8000-000000000001')}?${unknownParameter}`;
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    return test.app.inject({ method, url, headers });
  }

  async function send(endpoint: string, token?: string): Promise<readonly [number, string]> {
    const response = await request(endpoint, token);
    return [response.statusCode, response.json<{ code: string }>().code];
  }

  it('has an entry in this matrix', () => {
    const served = routes().filter((route) => route.includes(' /operator/') && !publicRoutes.includes(route));
    expect(served.sort()).toEqual(Object.keys(permitted).sort());
  });

  it('needs a token, as every route of the public API needs a key', async () => {
    const open: string[] = [];
    for (const route of test.routes) {
      const { statusCode } = await request(route);
      if (statusCode !== 401) open.push(route.replace('HEAD ', 'GET '));
    }
    expect([...new Set(open)].sort()).toEqual([...publicRoutes].sort());
  });

  it.each(Object.keys(permitted))('%s admits exactly the permitted roles', async (endpoint) => {
    const admitted = [400, 'validation_failed'];
    const expected = operatorRoles.map((role) => [
      role,
      ...(permitted[endpoint]!.includes(role) ? admitted : [403, 'scope_missing']),
    ]);
    const actual: unknown[] = [];
    for (const role of operatorRoles) actual.push([role, ...(await send(endpoint, tokens.get(role)))]);
    expect(actual).toEqual(expected);
    expect(await send(endpoint, operatorToken)).toEqual(admitted);
  });

  it.each(Object.keys(permitted))('%s rejects every other credential', async (endpoint) => {
    const disabled = test.operators.add({ role: 'admin', disabledAt: '2026-01-01T00:00:00.000Z' });
    const unknown = `${tokens.get('admin')!.slice(0, -1)}_`;
    for (const token of [undefined, disabled, unknown, test.keys.add(), `${operatorToken}x`]) {
      expect(await send(endpoint, token)).toEqual([401, 'invalid_key']);
    }
  });
});
