import { type OperatorServer, startOperatorServer } from './testing/operator-server';
import { runCommand } from './testing/run-command';

let server: OperatorServer;

beforeAll(async () => {
  server = await startOperatorServer();
});

afterAll(() => server.close());

const run = (...args: readonly string[]) => runCommand([...args, '--url', server.url, '--token', 'secret']);

const review = {
  id: 'o1',
  kind: 'operation',
  companyId: 'c1',
  environment: 'live',
  type: 'issue',
  status: 'manual_review',
  total: '103.20',
  reason: 'the issuer timed out',
  since: '2026-01-01T00:00:00.000Z',
  lateAnswers: [
    { answer: { outcome: 'accepted', last4: '4242' }, matches: true },
    { answer: { outcome: 'declined' }, matches: false },
  ],
};
const terms = { fixed: '3.00', percent: '0.2' };
const product = {
  id: 'gold',
  kind: 'card',
  name: 'Gold',
  currency: 'USD',
  fee: { issue: terms },
  minimumAmount: '10.00',
  available: true,
};
const holder = {
  id: 'h1',
  name: 'Ida',
  email: 'ida@example.com',
  kind: 'individual',
  status: 'active',
  externalId: 'x1',
  companyId: 'c1',
  environment: 'live',
};
const resolve = ['reviews', 'resolve', 'o1'];
const set = ['products', 'set', 'gold', '--name', 'Gold', '--minimum', '10'];
const setCard = [...set, '--kind', 'card'];
const cardOf = (fee: object, available = true) => ({ kind: 'card', name: 'Gold', minimumAmount: '10', fee, available });

const certificate = {
  ...{ holderId: 'h1', companyId: 'c1', environment: 'live', sealedTexts: 2, readableTexts: 0 },
  ...{ erasedAt: '2026-01-01T00:00:00.000Z', erasedBy: { kind: 'operator', id: 'ida' } },
  event: { id: 'e1', stream: 'holders-c1-live', revision: 3, position: '42', hash: 'ab'.repeat(32) },
  hashChain: { events: 4, isValid: true },
};

describe('Operation commands', () => {
  it.each<[readonly string[], string, unknown, unknown]>([
    [['reviews', 'list'], 'GET /operator/v1/reviews?limit=50', undefined, { data: [review] }],
    [
      ['reviews', 'list', '--limit', '1', '--cursor', 'a&b'],
      'GET /operator/v1/reviews?limit=1&cursor=a%26b',
      undefined,
      { data: [] },
    ],
    [
      [...resolve, '--outcome', 'failed', '--note', 'The issuer has no such order'],
      'POST /operator/v1/reviews/o1/resolve',
      { outcome: 'failed', note: 'The issuer has no such order' },
      review,
    ],
    [
      [
        ...[...resolve, '--outcome', 'completed', '--note', 'By telephone'],
        ...['--last4', '0042', '--receipt', 'R-1', '--card-reference', 'crd_1'],
      ],
      'POST /operator/v1/reviews/o1/resolve',
      { outcome: 'completed', note: 'By telephone', last4: '0042', receipt: 'R-1', cardReference: 'crd_1' },
      review,
    ],
    [['products', 'list'], 'GET /operator/v1/products', undefined, { data: [product] }],
    [
      [...setCard, '--fee-issue', '3.00 + 0.2 %', '--fee-topup', '0.2%'],
      'PUT /operator/v1/products/gold',
      cardOf({ issue: terms, topup: { fixed: '0', percent: '0.2' } }),
      product,
    ],
    [
      [...setCard, '--fee-topup', '3', '--unavailable'],
      'PUT /operator/v1/products/gold',
      cardOf({ topup: { fixed: '3', percent: '0' } }, false),
      product,
    ],
    [
      [...set, '--kind', 'service', '--fee-service', '1.50+12.3456%'],
      'PUT /operator/v1/products/gold',
      { ...cardOf({ service: { fixed: '1.50', percent: '12.3456' } }), kind: 'service' },
      product,
    ],
    [
      ['holders', 'set-status', 'h1', '--status', 'blocked'],
      'POST /operator/v1/holders/h1/status',
      { status: 'blocked' },
      holder,
    ],
    [
      ['cards', 'set-status', 'c1', '--status', 'blocked'],
      'POST /operator/v1/cards/c1/status',
      { status: 'blocked' },
      { id: 'c1', status: 'blocked' },
    ],
    [['holders', 'certify', 'h1'], 'GET /operator/v1/holders/h1/erasure', undefined, certificate],
  ])('%j sends %s', async (args, line, body, response) => {
    server.respondWith(200, response);
    const result = await run(...args, '--json');
    expect(server.takeRequests()).toEqual([expect.objectContaining({ line, body, authorization: 'Bearer secret' })]);
    expect(result).toMatchObject({ exitCode: 0, err: '' });
    expect(JSON.parse(result.out)).toEqual(response);
  });
});

describe('Text output', () => {
  it('prints reviews with the held amount and late issuer responses', async () => {
    server.respondWith(200, { data: [review] });
    const { out } = await run('reviews', 'list');
    expect(out).toMatch(/^ID +KIND +SINCE +COMPANY +ENVIRONMENT +AMOUNT +ABOUT +REASON +PROPOSED BY\n/);
    const about = /issue, late response: accepted, late response: declined \(MISMATCH\)/.source;
    expect(out).toMatch(new RegExp(`\\no1 +operation +2026\\S+ +c1 +live +103.20 held +${about} +the issuer timed`));
    expect(out).not.toContain('--cursor');
  });

  it('prints how to get the next page', async () => {
    server.respondWith(200, { data: [review], nextCursor: 'next' });
    expect((await run('reviews', 'list')).out).toMatch(/\nMore results: --cursor next, or --all\n$/);
    server.respondWith(200, { data: [] });
    expect((await run('reviews', 'list')).out).toBe('There are no open reviews.\n');
  });

  it.each([
    ['completed', 'completed', 'Operation o1 completed. Captured 103.20.\n'],
    ['failed', 'failed', 'Operation o1 failed. Released 103.20.\n'],
    [
      'manual_review',
      'failed',
      'Operation o1 is resolved as failed and will finish shortly. Check with `reviews list`.\n',
    ],
  ])('reports what a resolution that leaves the operation %s does to the money', async (status, outcome, text) => {
    server.respondWith(200, { ...review, status, resolution: { outcome, note: 'so' } });
    expect((await run(...resolve, '--outcome', outcome, '--note', 'so')).out).toBe(text);
  });

  it('prints prices in the format that it accepts', async () => {
    server.respondWith(200, { data: [product, { ...product, id: 'iron', available: false, fee: { topup: terms } }] });
    const { out } = await run('products', 'list');
    expect(out).toMatch(/^ID +KIND +NAME +AVAILABLE +MINIMUM +FEE ISSUE +FEE TOPUP +FEE SERVICE\n/);
    expect(out).toMatch(/\ngold +card +Gold +yes +10.00 +3.00\+0.2% +- +-\n/);
    expect(out).toMatch(/\niron +card +Gold +no +10.00 +- +3.00\+0.2% +-\n/);
    server.respondWith(200, { data: [] });
    expect((await run('products', 'list')).out).toBe('There are no products.\n');
  });

  it('prints the erased holder, the certificate and the remaining steps', async () => {
    server.respondOnceWith(200, { ...holder, name: '[erased]', email: '[erased]', status: 'inactive' });
    server.respondWith(200, certificate);
    const { out } = await run('holders', 'erase', 'h1', '--yes');
    expect(server.takeRequests().map(({ line }) => line)).toEqual([
      'POST /operator/v1/holders/h1/erase',
      'GET /operator/v1/holders/h1/erasure',
    ]);
    expect(out).toMatch(/\nh1 +\[erased\] +\[erased\] +individual +inactive +x1 +c1 +live\n/);
    expect(out).toMatch(/\nCertificate of erasure for holder h1\n  erased at +2026\S+ by operator ida\n/);
    expect(out).toMatch(/backups of the schema vault[^]*docs\/OPERATIONS\.md/);
  });

  it.each([
    ['a text that can still be decrypted', { readableTexts: 1 }],
    ['a broken hash chain', { hashChain: { events: 4, isValid: false } }],
  ])('certifies nothing with %s', async (_, change) => {
    server.respondWith(200, { ...certificate, ...change });
    const { exitCode, out } = await run('holders', 'certify', 'h1');
    expect([exitCode, out]).toEqual([1, expect.stringContaining('HOLDER h1 IS NOT ERASED PROPERLY')]);
  });
});

describe('Invalid usage', () => {
  it.each<[readonly string[], RegExp]>([
    [['holders', 'erase', 'h1'], /cannot be undone[^]*--yes/],
    [['holders', 'erase', '--yes'], /missing <holder-id>/],
    [['cards', 'set-status', 'c1', '--status', 'expired'], /Allowed choices are active, blocked/],
    [['holders', 'set-status', 'h1', '--status', 'asleep'], /Allowed choices are pending, active, blocked, inactive/],
    [[...resolve, '--outcome', 'maybe', '--note', 'x'], /'maybe' is invalid. Allowed choices are completed, failed/],
    [[...resolve, '--outcome', 'failed'], /missing --note <text>/],
    [
      [...resolve, '--outcome', 'completed', '--note', 'x', '--last4', '42'],
      /'42' is invalid. Use exactly four digits/,
    ],
    [[...resolve, '--outcome', 'completed', '--note', 'x', '--yes'], /unknown option '--yes'/],
    [setCard, /A card needs a price. Set --fee-issue or --fee-topup/],
    [[...set, '--kind', 'service'], /A service needs a price. Set --fee-service/],
    [[...setCard, '--fee-service', '1'], /--fee-service does not apply to a card/],
    [[...setCard, '--fee-issue', ''], /option '--fee-issue <price>' needs a value/],
    ...['1+', '+1%', '3 0', '1.005', '100%', '0.2+0.2', '-1', '1%+2'].map((price): [readonly string[], RegExp] => [
      [...setCard, `--fee-issue=${price}`],
      /--fee-issue <price>' argument '.*' is invalid. Use a price such as 3.00\+0.2%/,
    ]),
  ])('rejects %j without sending a request', async (args, message) => {
    server.respondWith(200, {});
    const { exitCode, out, err } = await run(...args);
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: '' });
    expect(err).toMatch(message);
    expect(server.takeRequests()).toEqual([]);
  });
});
