import { scopes } from '@florin/companies-domain';
import { type OperatorServer, startOperatorServer } from './testing/operator-server';
import { runLine } from './testing/run-line';

let server: OperatorServer;

beforeAll(async () => {
  server = await startOperatorServer();
});

afterAll(() => server.close());

const run = (...args: readonly string[]) => runLine([...args, '--url', server.url, '--token', 'secret']);

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
};
const issued = { id: 'k1', key: 'fl_test_abc' };
const issue = ['keys', 'create', 'c1', '--name', 'Checkout', '--environment', 'sandbox'];

describe('Every command', () => {
  it.each<[readonly string[], string, unknown, unknown]>([
    [['companies', 'list'], 'GET /operator/v1/companies', undefined, { data: [company] }],
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
      ['companies', 'activate', 'c1', '--capability', 'direct_invoices', '--off'],
      'POST /operator/v1/companies/c1/activations',
      { capability: 'direct_invoices', active: false },
      company,
    ],
    [['keys', 'list', 'c1'], 'GET /operator/v1/companies/c1/keys', undefined, { data: [key] }],
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
  ])('%j asks %s', async (args, line, body, answer) => {
    server.answer(200, answer);
    const result = await run(...args, '--json');
    const contentType = body === undefined ? undefined : 'application/json';
    expect(server.takeRequests()).toEqual([{ line, body, authorization: 'Bearer secret', contentType }]);
    expect(result).toMatchObject({ exitCode: 0, err: '' });
    expect(JSON.parse(result.out)).toEqual(answer);
  });
});

describe('For people', () => {
  it('companies stand in a table', async () => {
    server.answer(200, { data: [company, { ...company, id: 'c22', name: 'Ida \u001b[2J', activations: [] }] });
    expect((await run('companies', 'list')).out).toBe(
      [
        'ID   NAME      KIND       VERIFICATION  LIVE ACTIVATIONS           CREATED',
        'c1   Acme      corporate  approved      direct_invoices, services  2026-01-01T00:00:00.000Z',
        'c22  Ida \uFFFD[2J  corporate  approved      -                          2026-01-01T00:00:00.000Z',
        '',
      ].join('\n'),
    );
    server.answer(200, { data: [] });
    expect((await run('companies', 'list')).out).toBe('There are no companies yet.\n');
  });

  it('keys stand in a table', async () => {
    server.answer(200, { data: [key] });
    const { out } = await run('keys', 'list', 'c1');
    expect(out).toMatch(/^ID +NAME +ENVIRONMENT +ENDS IN +EXPIRES +REVOKED +LAST USED +SCOPES\n/);
    expect(out).toMatch(/\nk1 +Checkout +sandbox +wxyz +2027\S+ +- +2026-02\S+ +cards:read cards:write\n$/);
    server.answer(200, { data: [] });
    expect((await run('keys', 'list', 'c1')).out).toBe('The company has no keys.\n');
  });

  it('a new key comes with the advice to keep it', async () => {
    server.answer(201, issued);
    const { out } = await run('keys', 'rotate', 'k1');
    expect(out).toContain('fl_test_abc');
    expect(out).toContain('cannot be shown again');
  });

  it('a revocation is a sentence', async () => {
    server.answer(200, { id: 'k1', revokedAt: '2026-01-01T00:00:00.000Z' });
    expect((await run('keys', 'revoke', 'k1')).out).toBe('Key k1 is revoked since 2026-01-01T00:00:00.000Z.\n');
  });
});

describe('A line that makes no sense', () => {
  it.each<[readonly string[], RegExp]>([
    [[], /Which command/],
    [['companies', 'lst'], /no command `companies lst`[^]*companies list/],
    [['companies', 'create', '--kind', 'corporate'], /--name is missing/],
    [['companies', 'create', '--name', ' ', '--kind', 'corporate'], /--name is missing/],
    [['companies', 'create', '--name', 'A', '--kind', 'big'], /--kind must be individual or corporate, not big/],
    [['companies', 'verify', 'c1', '--status', 'fine'], /--status must be pending or approved or rejected/],
    [['companies', 'verify', '--status', 'approved'], /companies verify needs <company-id>/],
    [['companies', 'activate', 'c1', '--capability', 'flying'], /--capability must be direct_invoices or services/],
    [['companies', 'list', 'extra'], /does not know what to do with extra/],
    [['companies', 'list', '--kind', 'corporate'], /--kind is not an option of companies list/],
    [['companies', 'list', '--colour'], /--colour/],
    [['keys', 'revoke', 'k1', '--url', 'http://127.0.0.1:1'], /--url is given more than once/],
    [[...issue, '--scopes', 'cards:read,fly'], /There is no scope fly; choose from/],
    [[...issue, '--scopes', 'all', '--expires-at', 'soon'], /soon is not a time/],
    [['keys', 'rotate', 'k1', '--overlap-hours', '169'], /whole number from 0 to 168, not 169/],
    [['keys', 'rotate', 'k1', '--overlap-hours', '1.5'], /whole number from 0 to 168, not 1.5/],
  ])('%j is refused before anything is asked', async (args, complaint) => {
    server.answer(200, {});
    const { exitCode, out, err } = await run(...args);
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: '' });
    expect(err).toMatch(complaint);
    expect(server.takeRequests()).toEqual([]);
  });
});
