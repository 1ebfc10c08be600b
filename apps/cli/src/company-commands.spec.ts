import { type OperatorServer, type SeenRequest, startOperatorServer } from './testing/operator-server';
import { runCommand } from './testing/run-command';

let server: OperatorServer;

beforeAll(async () => {
  server = await startOperatorServer();
});

afterAll(() => server.close());

const run = (...args: readonly string[]) => runCommand([...args, '--url', server.url, '--key', 'fl_test_1']);
const linesSeen = () => server.takeRequests().map(({ line }) => line);

const operation = {
  ...{ id: 'o1', environment: 'sandbox', type: 'issue', status: 'queued', amount: '100.00', fee: '3.20' },
  ...{ total: '103.20', currency: 'USD', productId: 'virtual-usd', holderId: 'h1', result: {} },
  ...{ createdAt: '2030-01-31T12:00:00.000Z', updatedAt: '2030-01-31T12:00:00.000Z' },
};
const card = {
  ...{ id: 'c1', name: 'Travel', holderId: 'h1', last4: '4242', status: 'active', balance: '1100.00' },
  ...{ available: '95.00', limits: { daily: '500.00' }, metadata: {}, productId: 'virtual-usd' },
};
const holder = {
  ...{ id: 'h1', name: 'Ida', email: 'ida@example.com', kind: 'individual', status: 'active', externalId: 'x1' },
};
const invoice = {
  ...{ id: 'i1', status: 'pending', depositAmount: '100.00', fee: '1.50', creditAmount: '98.50', address: 'T1' },
  ...{ payAmount: '100.003127', expiresAt: '2030-01-31T13:00:00.000Z', createdAt: '2030-01-31T12:00:00.000Z' },
};
const event = {
  ...{ id: 'evt_1', type: 'card.created', createdAt: '2030-01-31T12:00:00.000Z', objectVersion: 1 },
  data: { object: { id: 'c1' } },
};
const balance = { available: '46.80', held: '1103.20', balance: '1150.00', currency: 'USD', environment: 'sandbox' };
const quote = { amount: '100.00', fee: '3.20', total: '103.20' };
const issue = ['--type', 'issue', '--product-id', 'virtual-usd', '--amount', '100', '--holder-id', 'h1'];
const issueBody = { type: 'issue', productId: 'virtual-usd', amount: '100', holderId: 'h1' };
const create = ['operations', 'create', ...issue, '--expected-total', '103.20'];
const created = { from: '2030-01-31T00:00:00.000Z', to: '2030-02-01T00:00:00.000Z' };
const createdFilter = ['--created-from', '2030-01-31T01:00+01:00', '--created-to', '2030-02-01T00:00Z'];
const createdQuery = new URLSearchParams({ createdFrom: created.from, createdTo: created.to }).toString();

describe('Commands of a company', () => {
  it.each<[readonly string[], string, unknown, unknown]>([
    [['balance'], 'GET /api/v1/balance', undefined, balance],
    [['operations', 'list'], 'GET /api/v1/operations?limit=50', undefined, { data: [operation] }],
    [
      ['operations', 'list', '--type', 'topup', '--status', 'failed', '--card-id', 'c1', ...createdFilter],
      `GET /api/v1/operations?limit=50&type=topup&status=failed&cardId=c1&${createdQuery}`,
      undefined,
      { data: [] },
    ],
    [
      ['operations', 'list', '--limit', '2', '--metadata', 'order=4711', 'a[b]=c=d&e', '--cursor', 'next'],
      'GET /api/v1/operations?limit=2&cursor=next&metadata%5Border%5D=4711&metadata%5Ba%5Bb%5D%5D=c%3Dd%26e',
      undefined,
      { data: [] },
    ],
    [['operations', 'show', '../o1'], 'GET /api/v1/operations/..%2Fo1', undefined, operation],
    [['operations', 'quote', ...issue], 'POST /api/v1/quotes', issueBody, quote],
    [['cards', 'list', '--holder-id', 'h1'], 'GET /api/v1/cards?limit=50&holderId=h1', undefined, { data: [card] }],
    [['cards', 'show', 'c1'], 'GET /api/v1/cards/c1', undefined, card],
    [['cards', 'freeze', 'c1'], 'POST /api/v1/cards/c1/freeze', undefined, card],
    [['cards', 'unfreeze', 'c1'], 'POST /api/v1/cards/c1/unfreeze', undefined, card],
    [['cards', 'close', 'c1'], 'POST /api/v1/cards/c1/close', undefined, card],
    [
      ['holders', 'list', '--kind', 'corporate', '--external-id', 'x 1'],
      'GET /api/v1/holders?limit=50&kind=corporate&externalId=x+1',
      undefined,
      { data: [holder] },
    ],
    [['holders', 'show', 'h1'], 'GET /api/v1/holders/h1', undefined, holder],
    [
      ['invoices', 'list', '--status', 'pending'],
      'GET /api/v1/card-account/invoices?limit=50&status=pending',
      undefined,
      { data: [invoice] },
    ],
    [['invoices', 'show', 'i1'], 'GET /api/v1/card-account/invoices/i1', undefined, invoice],
    [['invoices', 'cancel', 'i1'], 'POST /api/v1/card-account/invoices/i1/cancel', undefined, invoice],
    [['invoices', 'pay', 'i1'], 'POST /api/v1/sandbox/invoices/i1/complete', undefined, invoice],
    [
      ['events', 'list', '--type', 'card.created'],
      'GET /api/v1/events?limit=50&type=card.created',
      undefined,
      { data: [event] },
    ],
    [['events', 'show', 'evt_1'], 'GET /api/v1/events/evt_1', undefined, event],
    [['events', 'resend', 'evt_1'], 'POST /api/v1/events/evt_1/resend', {}, {}],
    [
      ['events', 'resend', 'evt_1', '--endpoint-id', 'e1'],
      'POST /api/v1/events/evt_1/resend',
      { endpointId: 'e1' },
      {},
    ],
  ])('%j sends %s', async (args, line, body, response) => {
    server.respondWith(200, response);
    const result = await run(...args, '--json');
    expect(server.takeRequests()).toMatchObject([{ line, body, authorization: 'Bearer fl_test_1' }]);
    expect(result).toMatchObject({ exitCode: 0, err: '' });
    expect(JSON.parse(result.out)).toEqual(response);
  });

  const idOptions = ['--external-id', 'x1', '--metadata', 'team=sales', '--metadata', 'empty='];
  const register = ['holders', 'create', '--name', 'Ida', '--email', 'ida@example.com', '--kind', 'individual'];
  it.each<[readonly string[], string, unknown, unknown]>([
    [
      [...create, '--name', 'Travel', '--metadata', 'order=4711'],
      'POST /api/v1/operations',
      { ...issueBody, expectedTotal: '103.20', name: 'Travel', metadata: { order: '4711' } },
      operation,
    ],
    [
      ['operations', 'create', '--type', 'unload', '--card-id', 'c1', '--amount', '5', '--expected-total', '5'],
      'POST /api/v1/operations',
      { type: 'unload', cardId: 'c1', amount: '5', expectedTotal: '5' },
      operation,
    ],
    [
      [...register, ...idOptions],
      'POST /api/v1/holders',
      {
        ...{ name: 'Ida', email: 'ida@example.com', kind: 'individual', externalId: 'x1' },
        metadata: { team: 'sales', empty: '' },
      },
      holder,
    ],
    [['invoices', 'create', '--amount', '100'], 'POST /api/v1/card-account/invoices', { amount: '100' }, invoice],
  ])('%j sends %s with an idempotency key', async (args, line, body, response) => {
    server.respondWith(201, response);
    const generated = await run(...args);
    const [{ idempotencyKey, ...request } = {} as Partial<SeenRequest>] = server.takeRequests();
    expect(request).toMatchObject({ line, body });
    expect(generated).toMatchObject({
      exitCode: 0,
      err: expect.stringContaining(`Idempotency key: ${idempotencyKey}`),
    });
    const given = await run(...args, '--idempotency-key', 'k1', '--json');
    expect(server.takeRequests()).toMatchObject([{ line, body, idempotencyKey: 'k1' }]);
    expect(given).toMatchObject({ exitCode: 0, err: '' });
    expect(JSON.parse(given.out)).toEqual(response);
  });
});

describe('Text output', () => {
  it('aligns amounts at the right', async () => {
    server.respondWith(200, { data: [card, { ...card, id: 'c22', name: 'Fuel', balance: '5.00', available: '5.00' }] });
    expect((await run('cards', 'list')).out).toBe(
      [
        'ID   NAME    LAST4  STATUS  BALANCE  AVAILABLE  HOLDER  PRODUCT',
        'c1   Travel  4242   active  1100.00      95.00  h1      virtual-usd',
        'c22  Fuel    4242   active     5.00       5.00  h1      virtual-usd',
        '',
      ].join('\n'),
    );
    server.respondWith(200, balance);
    expect((await run('balance')).out).toBe(
      'AVAILABLE     HELD  BALANCE  CURRENCY  ENVIRONMENT\n    46.80  1103.20  1150.00  USD       sandbox\n',
    );
    server.respondWith(200, quote);
    expect((await run('operations', 'quote', ...issue)).out).toBe('AMOUNT   FEE   TOTAL\n100.00  3.20  103.20\n');
  });

  it.each<[string, unknown, RegExp, RegExp]>([
    ['operations', { ...operation, failure: { code: 'declined' } }, /^ID .* FAILURE\n/, /o1 .* 103\.20 .* declined\n$/],
    ['holders', holder, /^ID +NAME +E-MAIL +KIND +STATUS +EXTERNAL ID\n/, /h1 +Ida +ida@example\.com .* x1\n$/],
    ['invoices', invoice, /^ID .* USDT +ADDRESS +EXPIRES\n/, /i1 .* pending +100\.00 +1\.50 +98\.50 +100\.003127 +T1/],
    ['events', event, /^ID +CREATED +TYPE +VERSION +OBJECT\n/, /evt_1 .* card\.created +1 +c1\n$/],
  ])('prints %s as a table', async (group, row, heading, line) => {
    server.respondWith(200, { data: [row] });
    const { out } = await run(group, 'list');
    expect(out).toMatch(heading);
    expect(out).toMatch(line);
  });

  it('prints every field of an object, without control characters', async () => {
    server.respondWith(200, { ...card, name: 'Ida \u001b[2J', metadata: { 'a\nb': 'c' }, tags: ['x'], closedAt: null });
    const { out } = await run('cards', 'show', 'c1');
    expect(out).toMatch(/^id +c1\nname +Ida \uFFFD\[2J\nholderId +h1\n/);
    expect(out).toMatch(/\nlimits\.daily +500\.00\nmetadata\.a\uFFFDb +c\nproductId +virtual-usd\ntags +\["x"\]\n/);
    expect(out).toMatch(/\nclosedAt +-\n$/);
  });

  it.each([
    [['operations', 'list'], 'There are no operations.\n'],
    [['operations', 'list', '--limit', '5'], 'There are no operations.\n'],
    [['operations', 'list', '--status', 'failed'], 'There are no operations that match the filters.\n'],
    [['invoices', 'list', '--metadata', 'a=b', '--all'], 'There are no invoices that match the filters.\n'],
  ])('explains an empty list: %j', async (args, text) => {
    server.respondWith(200, { data: [] });
    expect(await run(...args)).toMatchObject({ exitCode: 0, out: text });
  });
});

describe('Pages', () => {
  const pages = () => {
    server.respondWith(200, { data: [{ ...operation, id: 'o3' }] });
    server.respondOnceWith(200, { data: [operation], nextCursor: 'second' });
  };

  it('prints how to get the next one', async () => {
    pages();
    expect((await run('operations', 'list')).out).toMatch(/\n\nMore results: --cursor second, or --all\n$/);
  });

  it('reads all of them with --all, also after a rate limit', async () => {
    pages();
    server.respondOnceWith(429, { statusCode: 429, message: 'Too many requests.', code: 'rate_limited' });
    server.respondOnceWith(200, { data: [{ ...operation, id: 'o2' }], nextCursor: 'third' });
    const { exitCode, out, err } = await run('operations', 'list', '--all', '--status', 'queued', '--json');
    const first = 'GET /api/v1/operations?limit=100&status=queued';
    const [second, third] = [`${first}&cursor=second`, `${first}&cursor=third`];
    expect(linesSeen()).toEqual([first, second, second, third]);
    const { data, ...rest } = JSON.parse(out) as { data: { id: string }[] };
    expect([exitCode, data.map(({ id }) => id), rest]).toEqual([0, ['o1', 'o2', 'o3'], {}]);
    expect(err).toBe('Too many requests. Retrying in 0 s.\n');
  });

  it('ends --all with an error that remains', async () => {
    pages();
    server.respondOnceWith(403, { statusCode: 403, message: 'No.', code: 'scope_missing' });
    expect(await run('operations', 'list', '--all')).toEqual({ exitCode: 1, out: '', err: 'Error: No.\n' });
  });
});

describe('operations create --wait', () => {
  const wait = (...more: readonly string[]) => run(...create, '--idempotency-key', 'k1', '--wait', ...more, '--json');

  it.each([
    ['completed', 0],
    ['failed', 1],
    ['manual_review', 1],
  ])('reads the operation until it is %s, and exits with %d', async (status, code) => {
    server.respondWith(200, { ...operation, status });
    server.respondOnceWith(201, operation);
    server.respondOnceWith(200, { ...operation, status: 'processing' });
    const { exitCode, out } = await wait();
    const read = 'GET /api/v1/operations/o1';
    expect(linesSeen()).toEqual(['POST /api/v1/operations', read, read]);
    expect([exitCode, JSON.parse(out)]).toEqual([code, { ...operation, status }]);
  });

  it('reads nothing if the operation had ended before', async () => {
    server.respondWith(201, { ...operation, status: 'completed' });
    expect(await wait()).toMatchObject({ exitCode: 0, err: '' });
    expect(linesSeen()).toEqual(['POST /api/v1/operations']);
  });

  it('exits with 3 after the timeout, and shows how to read the operation later', async () => {
    server.respondWith(200, operation);
    const { exitCode, out, err } = await wait('--timeout', '1');
    expect([exitCode, out]).toEqual([3, '']);
    const { error } = JSON.parse(err) as { error: object };
    expect(error).toEqual({
      message: 'Operation o1 is still queued after 1 s, and continues. Read it with `florin operations show o1`.',
      operationId: 'o1',
      status: 'queued',
    });
  });
});

describe('Invalid usage', () => {
  const order = ['operations', 'create', '--amount', '5', '--expected-total', '5', '--type'];

  it.each<[readonly string[], RegExp]>([
    [['operations', 'create'], /Error: missing --type <type>, --amount <amount>, --expected-total <amount>\n$/],
    [[...order, 'issue'], /missing --product-id <product-id>, --holder-id <holder-id>, required for --type issue\n$/],
    [[...order, 'topup', '--product-id', 'p'], /missing --card-id <card-id>, required for --type topup\n$/],
    [[...order, 'service'], /missing --product-id <product-id>, --recipient <text>, required for --type service\n$/],
    [['operations', 'quote', '--type', 'unload', '--amount', '5'], /missing --card-id <card-id>, required/],
    [[...create, '--timeout', '0'], /'0' is invalid. Use a whole number from 1 to 86400/],
    [
      ['operations', 'list', '--status', 'lost'],
      /Allowed choices are queued, processing, completed, failed, manual_rev/,
    ],
    [['operations', 'list', '--created-from', 'soon'], /'soon' is invalid. Use a time with its offset/],
    [['cards', 'list', '--metadata', 'order'], /'order' is invalid. Use a key and a value, such as order=4711/],
    [['cards', 'list', '--all', '--limit', '5'], /'--all' cannot be used with option '--limit <number>'/],
    [['holders', 'create', '--name', 'Ida'], /missing --email <address>, --kind <kind>, --external-id <id>\n$/],
    [['holders', 'list', '--limit', '0'], /'0' is invalid. Use a whole number from 1 to 100/],
    [['balance', '--environment', 'live'], /The key belongs to sandbox, not to live. Correct --environment or the key/],
  ])('rejects %j without sending a request', async (args, message) => {
    server.respondWith(200, {});
    const { exitCode, out, err } = await run(...args);
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: '' });
    expect(err).toMatch(message);
    expect(server.takeRequests()).toEqual([]);
  });

  it('accepts the environment of the key', async () => {
    server.respondWith(200, balance);
    expect(await run('balance', '--environment', 'sandbox')).toMatchObject({ exitCode: 0 });
  });
});
