import { type OperatorServer, startOperatorServer } from './testing/operator-server';
import { runCommand } from './testing/run-command';

let server: OperatorServer;

beforeAll(async () => {
  server = await startOperatorServer();
});
afterAll(() => server.close());

const run = (...args: readonly string[]) => runCommand([...args, '--url', server.url, '--token', 'secret']);

const ida = { kind: 'operator', id: 'ida' };
const bob = { kind: 'operator', id: 'bob' };
const adjustment = {
  ...{
    id: 'a1',
    companyId: 'c1',
    environment: 'live',
    direction: 'credit',
    amount: '25.00',
    reason: 'Refund of a fee',
  },
  ...{ status: 'completed', createdBy: ida, createdAt: '2030-01-01T00:00:00.000Z' },
};
const proposed = { ...adjustment, amount: '1000.00', status: 'proposed', createdBy: undefined, proposedBy: ida };
const body = { environment: 'live', direction: 'credit', amount: '25', reason: 'Refund of a fee' };
const create = [
  ...['adjustments', 'create', 'c1', '--environment', 'live', '--direction', 'credit'],
  ...['--amount', '25', '--reason', 'Refund of a fee'],
];
const approval = {
  ...{ id: 'p1', subject: { kind: 'review', id: 'o1' }, status: 'proposed', amount: '1000.00', proposedBy: ida },
  ...{ proposedAt: '2030-01-01T00:00:00.000Z', decision: { outcome: 'completed', note: 'So' } },
};

describe('Adjustment commands', () => {
  it.each<[readonly string[], string, unknown, unknown]>([
    [[...create, '--idempotency-key', 'k1'], 'POST /operator/v1/companies/c1/adjustments', body, adjustment],
    [
      ['adjustments', 'list', 'c1'],
      'GET /operator/v1/companies/c1/adjustments?limit=50',
      undefined,
      { data: [adjustment] },
    ],
    [['adjustments', 'confirm', 'a1'], 'POST /operator/v1/adjustments/a1/confirm', undefined, adjustment],
    [['approvals', 'list', '--limit', '1'], 'GET /operator/v1/approvals?limit=1', undefined, { data: [approval] }],
    [['approvals', 'withdraw', 'p1'], 'POST /operator/v1/approvals/p1/withdraw', undefined, approval],
  ])('%j sends %s', async (args, line, sent, response) => {
    server.respondWith(200, response);
    const result = await run(...args, '--json');
    expect(server.takeRequests()).toEqual([expect.objectContaining({ line, body: sent })]);
    expect(result).toMatchObject({ exitCode: 0, err: '' });
    expect(JSON.parse(result.out)).toEqual(JSON.parse(JSON.stringify(response)));
  });

  it('sends the idempotency key', async () => {
    server.respondWith(201, adjustment);
    await run(...create, '--idempotency-key', 'one');
    expect(server.takeRequests()).toEqual([expect.objectContaining({ idempotencyKey: 'one', body })]);
  });

  it('generates an idempotency key and prints how to repeat the command, before the response', async () => {
    server.respondWith(503, { statusCode: 503, code: 'unavailable', message: 'Try again.', requestId: 'r1' });
    const { exitCode, err } = await run(...create);
    const idempotencyKey = String(server.takeRequests()[0]?.idempotencyKey);
    expect(idempotencyKey).toMatch(/^[0-9a-f-]{36}$/);
    expect(exitCode).not.toBe(0);
    expect(err).toMatch(
      `Idempotency key: ${idempotencyKey}. If you get no response, repeat the command with ` +
        `--idempotency-key ${idempotencyKey}: it is executed once.`,
    );
    server.respondWith(201, adjustment);
    expect((await run(...create, '--idempotency-key', idempotencyKey)).err).toBe('');
    expect(server.takeRequests()).toEqual([expect.objectContaining({ idempotencyKey, body })]);
  });

  it('prints the state of a repeated adjustment that is confirmed or withdrawn', async () => {
    server.respondWith(202, { ...proposed, status: 'confirmed', confirmedBy: bob });
    expect((await run(...create)).out).toBe(
      'Confirmed and not executed: adjustment a1: credit 1000.00, the live account of c1. Nothing has moved yet.\n' +
        'Execute it with florin adjustments confirm a1, or withdraw it with florin approvals withdraw a1\n',
    );
    const next = 'Create a new adjustment with a new idempotency key if it is still needed.\n';
    const withdrawn = 'Withdrawn: adjustment a1: credit 1000.00, the live account of c1. Nothing has moved.\n';
    server.respondWith(202, { ...proposed, status: 'withdrawn' });
    expect((await run(...create)).out).toBe(withdrawn + next);
    server.respondWith(202, { ...proposed, status: 'withdrawn', proposal: { refusal: 'No funds' } });
    expect((await run(...create)).out).toBe(`${withdrawn}The ledger refused it: No funds.\n${next}`);
    server.takeRequests();
  });

  it.each([
    [adjustment, 'Credited 25.00 to the live account of c1.\n'],
    [{ ...adjustment, direction: 'debit' }, 'Debited 25.00 from the live account of c1.\n'],
  ])('prints what was executed', async (response, text) => {
    server.respondWith(201, response);
    expect((await run(...create)).out).toBe(text);
  });

  it('prints what a different operator must do', async () => {
    server.respondWith(202, proposed);
    expect((await run(...create)).out).toBe(
      'Proposed adjustment a1: credit 1000.00, the live account of c1. Nothing has moved yet.\n' +
        'A different operator must confirm it: florin adjustments confirm a1\n',
    );
  });

  it('prints tables', async () => {
    server.respondWith(200, { data: [adjustment, { ...proposed, confirmedBy: bob }] });
    const { out } = await run('adjustments', 'list', 'c1');
    expect(out).toMatch(/\na1 +2030\S+ +live +credit +25.00 +completed +ida +- +Refund of a fee\n/);
    expect(out).toMatch(/\na1 +2030\S+ +live +credit +1000.00 +proposed +ida +bob +Refund of a fee\n/);
    server.respondWith(200, { data: [approval] });
    expect((await run('approvals', 'list')).out).toMatch(
      /\np1 +review o1 +1000.00 +proposed +ida +2030\S+ +\{"outcome"/,
    );
    server.respondWith(200, { data: [] });
    expect((await run('approvals', 'list')).out).toBe('There are no pending approvals.\n');
  });
});

describe('florin reviews resolve', () => {
  it('prints the command with which a different operator confirms the decision', async () => {
    const decision = {
      outcome: 'completed',
      note: "It's paid",
      last4: '4242',
      cardReference: 'crd 1',
      invoiceId: 'i1',
    };
    const proposal = { proposedBy: ida, amount: '1000.00', decision };
    server.respondWith(202, { id: 'o1', kind: 'operation', status: 'manual_review', proposal });
    const { out } = await run('reviews', 'resolve', 'o1', '--outcome', 'completed', '--note', "It's paid");
    expect(out).toBe(
      'Proposed by ida: resolve operation o1 of 1000.00. Nothing has moved yet.\n' +
        'A different operator must confirm it with the same decision:\n' +
        `florin reviews resolve o1 --outcome completed --note 'It'\\''s paid' --last4 4242 --card-reference 'crd 1' --invoice i1\n`,
    );
  });

  it('prints the outcome of a confirmed decision', async () => {
    const proposal = { proposedBy: ida, confirmedBy: bob, amount: '1000.00', decision: {} };
    const review = { id: 'o1', kind: 'operation', status: 'completed', total: '1005.00', proposal };
    server.respondWith(200, review);
    const { out } = await run('reviews', 'resolve', 'o1', '--outcome', 'completed', '--note', 'Paid');
    expect(out).toBe('Operation o1 completed. Captured 1005.00.\n');
  });
});
