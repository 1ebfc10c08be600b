import { randomUUID } from 'node:crypto';
import { Account, codeOf, expectBody, type Operation } from './harness/account';
import { type ApiResponse, utcDate } from './harness/client';
import { allScopes, Operator } from './harness/operator';
import { Florin } from './harness/florin';
import { issue, service, topup, without } from './harness/orders';

/** The objects of one company, for other keys to try. */
interface Belongings {
  readonly account: Account;
  readonly holderId: string;
  readonly cardId: string;
  readonly issueId: string;
  readonly serviceId: string;
  /** A completed payment, and pending ones to clear, reverse and expire. */
  readonly paymentId: string;
  readonly clearId: string;
  readonly reverseId: string;
  readonly expireId: string;
  readonly invoiceId: string;
  readonly endpointId: string;
  readonly eventId: string;
}

interface Use {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: object;
}

interface EndpointCase {
  /** As in the API reference. */
  readonly endpoint: string;
  readonly scopes: readonly string[];
  readonly use: (own: Belongings) => Use;
  /** The error of a request that is authorized and not possible. */
  readonly error?: string;
}

const dates = `from=${utcDate(-1)}&to=${utcDate(1)}`;
const priceless = (order: Parameters<typeof without>[0]) =>
  without(order as { expectedTotal: string }, 'expectedTotal');
const read = (endpoint: string, scope: string, query = ''): EndpointCase => ({
  endpoint: `GET ${endpoint}`,
  scopes: [scope],
  use: () => ({ method: 'GET', path: `${endpoint}${query}` }),
});
const order = (endpoint: string, scope: string, body: (own: Belongings) => object): EndpointCase => ({
  endpoint: `POST ${endpoint}`,
  scopes: [scope],
  use: (own) => ({ method: 'POST', path: endpoint, body: body(own) }),
});
const changeCard = (verb: string): EndpointCase => ({
  endpoint: `POST /api/v1/cards/{id}/${verb}`,
  scopes: ['cards:write'],
  use: ({ cardId }) => ({ method: 'POST', path: `/api/v1/cards/${cardId}/${verb}` }),
});
const readOperation = (of: 'issueId' | 'serviceId', scopes: readonly string[]): EndpointCase => ({
  endpoint: 'GET /api/v1/operations/{id}',
  scopes,
  use: (own) => ({ method: 'GET', path: `/api/v1/operations/${own[of]}` }),
});

/** An endpoint whose path contains the id of an object of the company. */
const about = (
  of: Exclude<keyof Belongings, 'account'>,
  [method, path]: readonly [Use['method'], string],
  scopes: readonly string[],
  body?: object,
): EndpointCase => ({
  endpoint: `${method} ${path}`,
  scopes,
  use: (own) => ({ method, path: path.replace('{id}', own[of]), body }),
});

const hooks = '/api/v1/webhook-endpoints';
const invoices = '/api/v1/card-account/invoices';
const [readsFunding, readsHooks, writesHooks] = [
  ['funding:write', 'funding:read'],
  ['webhooks:read'],
  ['webhooks:write'],
];
/** No process listens there. */
const receiver = 'http://127.0.0.1:9/hooks';

const payment = ({ cardId }: Pick<Belongings, 'cardId'>) => ({ cardId, amount: '0.01', merchant: 'Shop' });
const person = () => ({ name: 'Edith', email: 'edith@example.com', kind: 'individual', externalId: randomUUID() });

const endpoints: readonly EndpointCase[] = [
  read('/api/v1/balance', 'balance:read'),
  read('/api/v1/balance/history', 'balance:read', `?${dates}`),
  read('/api/v1/balance/explain', 'balance:read'),
  read('/api/v1/account-statements', 'balance:read', `?${dates}`),
  read('/api/v1/account-statements/verify', 'balance:read', `?${dates}&revision=0&hash=${'0'.repeat(64)}`),
  read('/api/v1/operations', 'operations:read'),
  readOperation('issueId', ['operations:read', 'cards:write']),
  readOperation('serviceId', ['operations:read', 'services:write']),
  order('/api/v1/operations', 'cards:write', ({ holderId }) => issue(holderId, '10')),
  order('/api/v1/operations', 'cards:write', ({ cardId }) => topup(cardId, '10')),
  order('/api/v1/operations', 'services:write', () => service('10')),
  {
    ...order('/api/v1/operations/bulk', '', () => ({
      operations: [{ idempotencyKey: randomUUID(), ...service('10') }],
    })),
    scopes: ['cards:write', 'services:write'],
  },
  order('/api/v1/quotes', 'cards:write', ({ holderId }) => priceless(issue(holderId, '10'))),
  order('/api/v1/quotes', 'cards:write', ({ cardId }) => priceless(topup(cardId, '10'))),
  order('/api/v1/quotes', 'services:write', () => priceless(service('10'))),
  read('/api/v1/products', 'cards:read'),
  read('/api/v1/cards', 'cards:read'),
  { ...read('', 'cards:read'), endpoint: 'GET /api/v1/cards/{id}', use: ({ cardId }) => card(cardId) },
  about('cardId', ['PATCH', '/api/v1/cards/{id}'], ['cards:write'], { name: 'Renamed' }),
  about('cardId', ['POST', '/api/v1/cards/{id}/reveal'], ['cards:reveal']),
  changeCard('freeze'),
  changeCard('unfreeze'),
  read('/api/v1/holders', 'holders:read'),
  order('/api/v1/holders', 'holders:write', person),
  about('holderId', ['GET', '/api/v1/holders/{id}'], ['holders:read']),
  about('holderId', ['PATCH', '/api/v1/holders/{id}'], ['holders:write'], { name: 'Edith' }),
  read('/api/v1/transactions', 'operations:read'),
  order('/api/v1/sandbox/transactions', 'cards:write', payment),
  order('/api/v1/sandbox/funding', 'cards:write', () => ({ amount: '1' })),
  about('paymentId', ['GET', '/api/v1/transactions/{id}'], ['operations:read']),
  about('clearId', ['POST', '/api/v1/sandbox/transactions/{id}/clear'], ['cards:write'], {}),
  about('reverseId', ['POST', '/api/v1/sandbox/transactions/{id}/reverse'], ['cards:write']),
  about('expireId', ['POST', '/api/v1/sandbox/transactions/{id}/expire'], ['cards:write']),
  about('paymentId', ['POST', '/api/v1/sandbox/transactions/{id}/refund'], ['cards:write'], {}),
  { ...changeCard('close'), error: 'card_not_empty' },
  about('cardId', ['POST', '/api/v1/sandbox/cards/{id}/status'], ['cards:write'], { status: 'blocked' }),
  { ...read(invoices, ''), scopes: readsFunding },
  about('invoiceId', ['GET', `${invoices}/{id}`], readsFunding),
  about('invoiceId', ['POST', '/api/v1/sandbox/invoices/{id}/complete'], ['funding:write']),
  order(invoices, 'funding:write', () => ({ amount: '10' })),
  { ...about('invoiceId', ['POST', `${invoices}/{id}/cancel`], ['funding:write']), error: 'validation_failed' },
  read('/api/v1/events', 'webhooks:read'),
  about('eventId', ['GET', '/api/v1/events/{id}'], readsHooks),
  about('eventId', ['POST', '/api/v1/events/{id}/resend'], writesHooks),
  order('/api/v1/sandbox/events', 'webhooks:write', () => ({ type: 'card.created' })),
  read(hooks, 'webhooks:read'),
  order(hooks, 'webhooks:write', () => ({ url: receiver })),
  about('endpointId', ['GET', `${hooks}/{id}`], readsHooks),
  about('endpointId', ['GET', `${hooks}/{id}/deliveries`], readsHooks),
  about('endpointId', ['PATCH', `${hooks}/{id}`], writesHooks, { description: 'Ours' }),
  about('endpointId', ['POST', `${hooks}/{id}/test`], writesHooks),
  about('endpointId', ['POST', `${hooks}/{id}/recover`], writesHooks, { since: '2026-01-01T00:00:00.000Z' }),
  about('endpointId', ['POST', `${hooks}/{id}/rotate-secret`], writesHooks),
  about('endpointId', ['DELETE', `${hooks}/{id}`], writesHooks),
];

function card(cardId: string): Use {
  return { method: 'GET', path: `/api/v1/cards/${cardId}` };
}

const operatorEndpoints = [
  'GET /operator/v1/companies',
  'POST /operator/v1/companies',
  'GET /operator/v1/products',
  'PUT /operator/v1/products/virtual-usd',
  'GET /operator/v1/deposits',
  'GET /operator/v1/reviews',
  'POST /operator/v1/reviews/00000000-0000-4000-8000-000000000000/resolve',
  'POST /operator/v1/holders/00000000-0000-4000-8000-000000000000/status',
  'POST /operator/v1/holders/00000000-0000-4000-8000-000000000000/erase',
  'GET /operator/v1/holders/00000000-0000-4000-8000-000000000000/erasure',
] as const;

describe('access control', () => {
  let florin: Florin;
  let operator: Operator;
  let companyId: string;
  let own: Belongings;
  let strangers: readonly (readonly [string, Account])[];

  beforeAll(async () => {
    // No process listens there: an order that reaches the issuer call ends in review.
    const issuer = { ISSUER_URL: 'http://127.0.0.1:9', ISSUER_SECRET: 'a-secret-shared-with-the-issuer' };
    const env = { RATE_LIMIT_SANDBOX: '0', RATE_LIMIT_LIVE: '0', WEBHOOK_ALLOW_LOOPBACK: 'true', ...issuer };
    florin = await Florin.start({ env });
    operator = new Operator(florin);
    companyId = await operator.newCompany({ activations: ['services'] });
    const account = await operator.newKey(companyId);
    await account.fund('10000');
    const holderId = await account.newHolder();
    const [issued, served] = [await account.outcomeOf(issue(holderId)), await account.outcomeOf(service())];
    const { id: invoiceId } = await account.newInvoice();
    expectBody(await account.post(`/api/v1/sandbox/invoices/${invoiceId}/complete`), 200);
    const { id: endpointId } = expectBody<{ id: string }>(await account.post(hooks, { url: receiver }), 201);
    const [event] = (await account.list<{ id: string }>('/api/v1/events')).data;
    const orders = { cardId: issued.result.cardId!, issueId: issued.id, serviceId: served.id };
    const pay = async (fields?: object) => {
      const body = { ...payment(orders), ...fields };
      return expectBody<{ id: string }>(await account.post('/api/v1/sandbox/transactions', body), 201).id;
    };
    const authorize = () => pay({ capture: false });
    const payments = {
      ...{ paymentId: await pay(), clearId: await authorize() },
      ...{ reverseId: await authorize(), expireId: await authorize() },
    };
    own = { account, holderId, ...orders, ...payments, invoiceId, endpointId, eventId: event!.id };
    strangers = [
      ['another company', await operator.newAccount('1000')],
      ['the same company in live', await operator.newKey(companyId, 'live')],
    ];
  });

  afterAll(async () => {
    expect(await florin.stop()).toBe(0);
    florin.removeData();
  });

  function send(client: Account, { method, path, body }: Use): Promise<ApiResponse> {
    return client.send(method, path, { body, headers: method === 'POST' ? { 'Idempotency-Key': randomUUID() } : {} });
  }

  describe('isolation', () => {
    const nowhere = {
      ...{ holderId: randomUUID(), cardId: randomUUID(), issueId: randomUUID(), serviceId: randomUUID() },
      ...{ paymentId: randomUUID(), clearId: randomUUID(), reverseId: randomUUID(), expireId: randomUUID() },
      ...{ invoiceId: randomUUID(), endpointId: randomUUID(), eventId: `evt_${randomUUID().replaceAll('-', '')}` },
    };
    const aboutSomething = endpoints.filter(({ use }) => {
      const { path, body } = use({ account: new Account('', undefined), ...nowhere });
      return Object.values(nowhere).some((id) => `${path} ${JSON.stringify(body)}`.includes(id));
    });

    it('covers every endpoint that refers to an object', () => {
      expect(aboutSomething).toHaveLength(33);
    });

    it.each(aboutSomething.map((entry) => [entry.endpoint, entry] as const))(
      '%s returns the same response for a foreign object as for an unknown one',
      async (_, { use }) => {
        for (const [who, stranger] of strangers) {
          const [foreign, unknown] = [
            await send(stranger, use(own)),
            await send(stranger, use({ ...own, ...nowhere })),
          ];
          const sandboxOnly = use(own).path.includes('/sandbox/') && who.includes('live');
          const refusal = sandboxOnly ? [400, 'sandbox_only'] : [404, 'not_found'];
          expect([who, ...codeOf(foreign)]).toEqual([who, ...refusal]);
          expect(anonymous(foreign, own)).toEqual(anonymous(unknown, nowhere));
        }
      },
    );

    const anonymous = ({ body }: ApiResponse, ids: object): unknown => {
      const { requestId: _, ...rest } = body;
      return JSON.parse(
        Object.values(ids).reduce<string>((text, id) => text.replaceAll(String(id), 'id'), JSON.stringify(rest)),
      );
    };

    it.each([
      ['operations', () => `?cardId=${own.cardId}`],
      ['cards', () => `?holderId=${own.holderId}`],
      ['holders', () => '?status=active'],
      ['transactions', () => `?cardId=${own.cardId}`],
      ['card-account/invoices', () => '?status=completed'],
      ['events', () => '?type=invoice.completed'],
    ])('lists no %s of other companies or environments', async (list, filter) => {
      for (const query of ['', filter()]) {
        expect((await own.account.list(`/api/v1/${list}${query}`)).data).not.toEqual([]);
        for (const [who, stranger] of strangers) {
          expect([who, await stranger.list(`/api/v1/${list}${query}`)]).toEqual([who, { data: [] }]);
        }
      }
    });

    it('changes nothing', async () => {
      expect(await own.account.card(own.cardId)).toMatchObject({ status: 'active', balance: '99.99' });
      expect(await own.account.funds()).toEqual(['9970.30', '0.00']);
      expect(await strangers[0]![1].funds()).toEqual(['1000.00', '0.00']);
      expect(await strangers[1]![1].funds()).toEqual(['0.00', '0.00']);
      expect((await own.account.list<Operation>('/api/v1/operations')).data.map(({ id }) => id)).toEqual([
        own.serviceId,
        own.issueId,
      ]);
    });
  });

  describe('scopes', () => {
    const keys = new Map<string, Account>();

    beforeAll(async () => {
      for (const scope of allScopes) keys.set(scope, await operator.newKey(companyId, 'sandbox', [scope]));
    });

    it('cover every endpoint of the API reference', async () => {
      const { body } = await own.account.get('/api/v1/openapi.json');
      const documented = Object.entries(body['paths'] as Record<string, object>).flatMap(([path, methods]) =>
        Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
      );
      const ofCompanies = documented.filter((endpoint) => endpoint.includes(' /api/v1/'));
      expect(ofCompanies.sort()).toEqual([...new Set(endpoints.map(({ endpoint }) => endpoint))].sort());
    });

    it.each(endpoints.map((entry) => [entry.endpoint, entry.scopes.join(' or '), entry] as const))(
      '%s requires %s',
      async (_, __, { scopes, use, error }) => {
        const accepted: string[] = [];
        for (const [scope, client] of keys) {
          const response = await send(client, use(own));
          if (response.status < 300 || (error !== undefined && response.body['code'] === error)) accepted.push(scope);
          else expect([scope, ...codeOf(response)]).toEqual([scope, 403, 'scope_missing']);
        }
        expect(accepted.sort()).toEqual([...scopes].sort());
      },
    );
  });

  describe('without a valid key', () => {
    let rejected: Account;

    beforeAll(async () => {
      rejected = await operator.newKey(await operator.newCompany({ verification: 'rejected' }));
    });

    it.each(endpoints.map((entry) => [entry.endpoint, entry] as const))('%s is rejected', async (_, { use }) => {
      expect(codeOf(await send(rejected, use(own)))).toEqual([403, 'verification_required']);
      for (const wrong of [undefined, 'wrong', `fl_test_${'a'.repeat(49)}`, florin.credentials.operatorToken]) {
        expect(codeOf(await send(new Account(florin.baseUrl, wrong), use(own)))).toEqual([401, 'invalid_key']);
      }
    });

    it.each(operatorEndpoints)('%s rejects company keys', async (endpoint) => {
      const [method = '', path = ''] = endpoint.split(' ');
      const body = method === 'GET' ? undefined : {};
      for (const client of [own.account, new Account(florin.baseUrl, undefined)]) {
        expect(codeOf(await client.send(method, path, { body }))).toEqual([401, 'invalid_key']);
      }
    });
  });

  it('requires an activation for live services but not for live cards', async () => {
    const other = await operator.newKey(await operator.newCompany(), 'live');
    expect(codeOf(await other.operate(service()))).toEqual([403, 'capability_inactive']);
    expect(codeOf(await other.post('/api/v1/quotes', priceless(service())))).toEqual([403, 'capability_inactive']);
    const active = strangers[1]![1];
    expect(codeOf(await active.operate(service()))).toEqual([400, 'insufficient_funds']);
    for (const live of [other, active]) {
      expect(codeOf(await live.operate(issue(randomUUID())))).toEqual([404, 'not_found']);
    }
    expectBody(await active.post('/api/v1/quotes', priceless(service())), 200);
  });
});
