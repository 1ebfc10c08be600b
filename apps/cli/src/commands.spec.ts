import { scopes } from '@florin/companies-domain';
import { type OperatorServer, startOperatorServer } from './testing/operator-server';
import { runCommand } from './testing/run-command';

let server: OperatorServer;

beforeAll(async () => {
  server = await startOperatorServer();
});

afterAll(() => server.close());

const run = (...args: readonly string[]) => runCommand([...args, '--url', server.url, '--token', 'secret']);

const company = {
  id: 'c1',
  name: 'Acme',
  kind: 'corporate',
  verification: 'approved',
  activations: ['direct_invoices', 'services'],
  createdAt: '2026-01-01T00:00:00.000Z',
};
const key = {
  id: 'k1',
  name: 'Checkout',
  environment: 'sandbox',
  scopes: ['cards:read', 'cards:write'],
  hint: 'wxyz',
  expiresAt: '2027-01-01T00:00:00.000Z',
  revokedAt: null,
  lastUsedAt: '2026-02-01T00:00:00.000Z',
  createdBy: { kind: 'operator', id: 'o1' },
};
const issued = { id: 'k1', key: 'fl_test_abc' };
const issue = ['keys', 'create', 'c1', '--name', 'Checkout', '--environment', 'sandbox'];

describe('Company and key commands', () => {
  it.each<[readonly string[], string, unknown, unknown]>([
    [['companies', 'list'], 'GET /operator/v1/companies?limit=50', undefined, { data: [company] }],
    [
      ['companies', 'create', '--name', 'Acme', '--kind', 'corporate'],
      'POST /operator/v1/companies',
      { name: 'Acme', kind: 'corporate' },
      company,
    ],
    [
      ['companies', 'verify', 'c1', '--status', 'rejected'],
      'POST /operator/v1/companies/c1/verification',
      { status: 'rejected' },
      company,
    ],
    [
      ['companies', 'activate', 'c1', '--capability', 'services'],
      'POST /operator/v1/companies/c1/activations',
      { capability: 'services', active: true },
      company,
    ],
    [
      ['companies', 'deactivate', 'c1', '--capability', 'direct_invoices'],
      'POST /operator/v1/companies/c1/activations',
      { capability: 'direct_invoices', active: false },
      company,
    ],
    [['keys', 'list', 'c1'], 'GET /operator/v1/companies/c1/keys?limit=50', undefined, { data: [key] }],
    [
      [...issue, '--scopes', 'all'],
      'POST /operator/v1/companies/c1/keys',
      { name: 'Checkout', environment: 'sandbox', scopes },
      issued,
    ],
    [
      [...issue, '--scopes', 'cards:write, cards:read,cards:read', '--expires-at', '2030-01-31T01:00+01:00'],
      'POST /operator/v1/companies/c1/keys',
      {
        name: 'Checkout',
        environment: 'sandbox',
        scopes: ['cards:read', 'cards:write'],
        expiresAt: '2030-01-31T00:00:00.000Z',
      },
      issued,
    ],
    [['keys', 'rotate', 'k1'], 'POST /operator/v1/keys/k1/rotate', { overlapHours: 24 }, issued],
    [['keys', 'rotate', 'k1', '--overlap-hours', '0'], 'POST /operator/v1/keys/k1/rotate', { overlapHours: 0 }, issued],
    [
      ['keys', 'revoke', 'k1'],
      'POST /operator/v1/keys/k1/revoke',
      undefined,
      { id: 'k1', revokedAt: '2026-01-01T00:00:00.000Z' },
    ],
    [['keys', 'revoke', '../x?y'], 'POST /operator/v1/keys/..%2Fx%3Fy/revoke', undefined, { id: 'x', revokedAt: '' }],
  ])('%j sends %s', async (args, line, body, response) => {
    server.respondWith(200, response);
    const result = await run(...args, '--json');
    const contentType = body === undefined ? undefined : 'application/json';
    expect(server.takeRequests()).toEqual([{ line, body, authorization: 'Bearer secret', contentType }]);
    expect(result).toMatchObject({ exitCode: 0, err: '' });
    expect(JSON.parse(result.out)).toEqual(response);
  });
});

describe('Text output', () => {
  it('prints companies as a table and replaces control characters', async () => {
    server.respondWith(200, { data: [company, { ...company, id: 'c22', name: 'Ida \u001b[2J', activations: [] }] });
    expect((await run('companies', 'list')).out).toBe(
      [
        'ID   NAME      KIND       VERIFICATION  LIVE ACTIVATIONS           CREATED',
        'c1   Acme      corporate  approved      direct_invoices, services  2026-01-01T00:00:00.000Z',
        'c22  Ida \uFFFD[2J  corporate  approved      -                          2026-01-01T00:00:00.000Z',
        '',
      ].join('\n'),
    );
    server.respondWith(200, { data: [] });
    expect((await run('companies', 'list')).out).toBe('There are no companies.\n');
  });

  it('prints keys as a table', async () => {
    server.respondWith(200, { data: [key] });
    const { out } = await run('keys', 'list', 'c1');
    expect(out).toMatch(
      /^ID +NAME +ENVIRONMENT +ENDS IN +EXPIRES +REVOKED +LAST USED +CREATED BY +ROTATED BY +REVOKED BY +SCOPES\n/,
    );
    expect(out).toMatch(
      /\nk1 +Checkout +sandbox +wxyz +2027\S+ +- +2026-02\S+ +operator o1 +- +- +cards:read cards:write\n$/,
    );
    server.respondWith(200, { data: [] });
    expect((await run('keys', 'list', 'c1')).out).toBe('There are no keys of this company.\n');
  });

  it('advises to save a new key', async () => {
    server.respondWith(201, issued);
    const { out } = await run('keys', 'rotate', 'k1');
    expect(out).toContain('fl_test_abc');
    expect(out).toContain('cannot show it again');
  });

  it('confirms a revocation', async () => {
    server.respondWith(200, { id: 'k1', revokedAt: '2026-01-01T00:00:00.000Z' });
    expect((await run('keys', 'revoke', 'k1')).out).toBe('Key k1 was revoked at 2026-01-01T00:00:00.000Z.\n');
  });
});

describe('Invalid usage', () => {
  it.each<[readonly string[], RegExp]>([
    [[], /Usage: florin[^]*Error: missing command\n$/],
    [['companies', 'lst'], /florin companies --help[^]*Error: unknown command 'lst'\n\(Did you mean list\?\)/],
    [['companies', 'create', '--kind', 'corporate'], /Error: missing --name <name>\n$/],
    [['companies', 'create'], /Error: missing --name <name>, --kind <kind>\n$/],
    [['keys', 'create'], /missing <company-id>, --name <name>, --environment <environment>, --scopes <list>/],
    [['companies', 'verify', ' ', '--status', 'approved'], /argument 'company-id'. It is blank/],
    [['companies', 'create', '--name', ' ', '--kind', 'corporate'], /option '--name <name>' needs a value/],
    [
      ['companies', 'create', '--name', 'A', '--kind', 'big'],
      /--kind <kind>' argument 'big' is invalid. Allowed choices are individual, corporate/,
    ],
    [
      ['companies', 'verify', 'c1', '--status', 'fine'],
      /'fine' is invalid. Allowed choices are pending, approved, rejected/,
    ],
    [['companies', 'verify', '--status', 'approved'], /missing <company-id>/],
    [
      ['companies', 'activate', 'c1', '--capability', 'flying'],
      /'flying' is invalid. Allowed choices are direct_invoices, services/,
    ],
    [['companies', 'list', 'extra'], /too many arguments for 'list'/],
    [['companies', 'list', '--kind', 'corporate'], /unknown option '--kind'/],
    [['companies', 'list', '--limit', '101'], /'101' is invalid. Use a whole number from 1 to 100/],
    [['companies', 'list', '--all', '--limit', '5'], /'--all' cannot be used with option '--limit <number>'/],
    [['companies', 'list', '--colour'], /unknown option '--colour'/],
    [['keys', 'revoke', 'k1', '--url', 'http://127.0.0.1:1'], /'--url <address>' is given more than once/],
    [[...issue, '--scopes', 'cards:read,fly'], /Unknown scopes: fly. Use all, or choose from/],
    [[...issue, '--scopes', 'all', '--expires-at', 'soon'], /'soon' is invalid. Use a time with its offset/],
    [['keys', 'rotate', 'k1', '--overlap-hours', '169'], /'169' is invalid. Use a whole number from 0 to 168/],
    [['keys', 'rotate', 'k1', '--overlap-hours', '1.5'], /'1.5' is invalid. Use a whole number from 0 to 168/],
  ])('rejects %j without sending a request', async (args, message) => {
    server.respondWith(200, {});
    const { exitCode, out, err } = await run(...args);
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: '' });
    expect(err).toMatch(message);
    expect(server.takeRequests()).toEqual([]);
  });
});
