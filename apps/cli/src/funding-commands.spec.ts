import { type OperatorServer, startOperatorServer } from './testing/operator-server';
import { runCommand } from './testing/run-command';

let server: OperatorServer;

beforeAll(async () => {
  server = await startOperatorServer();
});

afterAll(() => server.close());

const run = (...args: readonly string[]) => runCommand([...args, '--url', server.url, '--token', 'secret']);

const invoice = {
  ...{ id: 'i1', kind: 'invoice', companyId: 'c1', environment: 'live', status: 'manual_review' },
  ...{ payAmount: '100.003127', creditAmount: '98.50', depositId: 'd1' },
  ...{ reason: 'Paid after it had expired', since: '2026-01-01T00:00:00.000Z' },
};
const depositReview = {
  ...{ id: 'd2', kind: 'deposit', status: 'unmatched', amount: '7.000001', transactionId: 'ab12' },
  ...{ reason: 'amount_unknown', since: '2026-01-01T00:00:00.000Z' },
};
const deposit = {
  ...{ id: 'd1', status: 'matched', amount: '100.003127', address: 'Tours', from: 'Ttheirs', transactionId: 'ab12' },
  ...{ blockTime: '2026-01-01T00:00:00.000Z', late: false, forReview: false, invoiceId: 'i1' },
};
const resolve = ['reviews', 'resolve', 'd2'];

describe('Funding commands', () => {
  it.each<[readonly string[], string, unknown, unknown]>([
    [['deposits', 'list'], 'GET /operator/v1/deposits?limit=50', undefined, { data: [deposit] }],
    [
      ['deposits', 'list', '--status', 'unmatched', '--limit', '1', '--cursor', 'a&b'],
      'GET /operator/v1/deposits?limit=1&status=unmatched&cursor=a%26b',
      undefined,
      { data: [] },
    ],
    [
      [...resolve, '--outcome', 'completed', '--note', 'They wrote', '--invoice', 'i1'],
      'POST /operator/v1/reviews/d2/resolve',
      { outcome: 'completed', note: 'They wrote', invoiceId: 'i1' },
      depositReview,
    ],
  ])('%j sends %s', async (args, line, body, response) => {
    server.respondWith(200, response);
    const result = await run(...args, '--json');
    expect(server.takeRequests()).toEqual([expect.objectContaining({ line, body, authorization: 'Bearer secret' })]);
    expect(result).toMatchObject({ exitCode: 0, err: '' });
    expect(JSON.parse(result.out)).toEqual(response);
  });
});

describe('Text output', () => {
  it('prints the status of each deposit', async () => {
    const others = [
      { ...deposit, id: 'd2', late: true },
      { ...deposit, id: 'd3', status: 'unmatched', reason: 'amount_unknown', invoiceId: undefined },
      { ...deposit, id: 'd4', status: 'unmatched', reason: 'paid_already', forReview: true },
      { ...deposit, id: 'd5', status: 'resolved', resolution: { outcome: 'failed' } },
    ];
    server.respondWith(200, { data: [deposit, ...others], nextCursor: 'next' });
    const { out } = await run('deposits', 'list');
    expect(out).toMatch(/^ID +TIME +USDT +STATUS +INVOICE +ADDRESS +FROM +TRANSACTION\n/);
    expect(out).toMatch(/\nd1 +2026\S+ +100.003127 +matched +i1 +Tours +Ttheirs +ab12\n/);
    expect(out).toMatch(/\nd2 .* matched, late +i1/);
    expect(out).toMatch(/\nd3 .* unmatched: amount_unknown +-/);
    expect(out).toMatch(/\nd4 .* unmatched: paid_already, for review +i1/);
    expect(out).toMatch(/\nd5 .* resolved as failed +i1/);
    expect(out).toMatch(/\nMore results: --cursor next, or --all\n$/);
    server.respondWith(200, { data: [] });
    expect((await run('deposits', 'list')).out).toBe('There are no deposits.\n');
  });

  it('prints reviews of all kinds in one table', async () => {
    server.respondWith(200, {
      data: [invoice, depositReview, { ...invoice, id: 'i2', payAmount: null, depositId: undefined }],
    });
    const { out } = await run('reviews', 'list');
    expect(out).toMatch(/\ni1 +invoice +2026\S+ +c1 +live +100.003127 USDT +deposit d1 +Paid after/);
    expect(out).toMatch(/\nd2 +deposit +2026\S+ +- +- +7.000001 USDT +transaction ab12 +amount_unknown +-\n/);
    expect(out).toMatch(/\ni2 +invoice .* 0 USDT +- +Paid after/);
  });

  const completed = { outcome: 'completed', note: 'so', invoiceId: 'i1' };
  it.each([
    [{ ...invoice, status: 'completed' }, 'Invoice i1 completed. Credited 98.50.\n'],
    [{ ...invoice, status: 'failed' }, 'Invoice i1 failed. Nothing was credited.\n'],
    [
      { ...invoice, resolution: completed },
      'Invoice i1 is resolved as completed and will finish shortly. Check with `reviews list`.\n',
    ],
    [{ ...depositReview, resolution: completed }, 'Deposit d2 pays invoice i1.\n'],
    [{ ...depositReview, resolution: { outcome: 'failed' } }, 'Deposit d2 is closed. Nothing was credited.\n'],
    [depositReview, 'Deposit d2 needs review again: its invoice was settled meanwhile. Check with `reviews list`.\n'],
  ])('reports what a resolution does to the money: %j', async (response, text) => {
    server.respondWith(200, response);
    expect((await run(...resolve, '--outcome', 'completed', '--note', 'so')).out).toBe(text);
  });
});

describe('Invalid usage', () => {
  it.each<[readonly string[], RegExp]>([
    [['deposits', 'list', '--status', 'lost'], /'lost' is invalid. Allowed choices are matched, unmatched, resolved/],
    [['deposits', 'list', 'd1'], /too many arguments for 'list'/],
    [
      [...resolve, '--outcome', 'completed', '--note', 'x', '--invoice', ''],
      /option '--invoice <invoice-id>' needs a value/,
    ],
  ])('rejects %j without sending a request', async (args, message) => {
    server.respondWith(200, {});
    const { exitCode, out, err } = await run(...args);
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: '' });
    expect(err).toMatch(message);
    expect(server.takeRequests()).toEqual([]);
  });
});
