import { randomUUID } from 'node:crypto';
import type { Account } from './harness/account';
import { utcDate } from './harness/client';
import { sharedFlorin } from './harness/florin';
import { Operator } from './harness/operator';
import type { RunningFlorin } from './harness/running-florin';
import { until } from './harness/until';

describe('sandbox funding, balance and statement', () => {
  let florin: RunningFlorin;
  let acme: Account;
  let acmeLive: Account;
  let ida: Account;
  const range = `from=${utcDate(-1)}&to=${utcDate(1)}`;

  beforeAll(async () => {
    florin = await sharedFlorin();
    const operator = new Operator(florin);
    const acmeId = await operator.newCompany();
    [acme, acmeLive] = [await operator.newKey(acmeId), await operator.newKey(acmeId, 'live')];
    ida = await operator.newKey(await operator.newCompany({ kind: 'individual' }));
  });

  it('credits the amount, and the next read shows it', async () => {
    const response = await acme.fund('100.5');
    expect(response.status).toBe(201);
    expect(response.body).toEqual({});
    expect(response.headers.get('idempotent-replayed')).toBeNull();
    expect(await acme.balance()).toEqual({
      available: '100.50',
      held: '0.00',
      balance: '100.50',
      currency: 'USD',
      environment: 'sandbox',
    });
  });

  it('returns the original response for a repeat, and rejects another body under the same key', async () => {
    const key = randomUUID();
    const before = (await acme.balance()) as { available: string };
    expect((await acme.fund('10', key)).status).toBe(201);
    const again = await acme.fund('10.00', key);
    expect([again.status, again.body, again.headers.get('idempotent-replayed')]).toEqual([201, {}, 'true']);
    const other = await acme.fund('11', key);
    expect([other.status, other.body['code']]).toEqual([409, 'idempotency_conflict']);
    expect(await acme.balance()).toMatchObject({ available: (Number(before.available) + 10).toFixed(2) });
  });

  it('credits one of many concurrent requests with the same key', async () => {
    const key = randomUUID();
    const before = (await acme.balance()) as { available: string };
    const responses = await Promise.all(Array.from({ length: 50 }, () => acme.fund('1.00', key)));
    expect(responses.map((response) => response.status)).toEqual(new Array(50).fill(201));
    expect(responses.filter((response) => response.headers.get('idempotent-replayed') === null)).toHaveLength(1);
    expect(await acme.balance()).toMatchObject({ available: (Number(before.available) + 1).toFixed(2) });
  });

  it('treats the same key of another company as a different one', async () => {
    const key = randomUUID();
    expect((await acme.fund('1', key)).status).toBe(201);
    const other = await ida.fund('2', key);
    expect([other.status, other.headers.get('idempotent-replayed')]).toEqual([201, null]);
    expect(await ida.balance()).toMatchObject({ available: '2.00' });
  });

  it('does not record the key of a rejected request', async () => {
    const key = randomUUID();
    expect((await acme.fund('0.00', key)).status).toBe(400);
    const response = await acme.fund('3', key);
    expect([response.status, response.headers.get('idempotent-replayed')]).toEqual([201, null]);
  });

  it('reports a key conflict before it checks the amount', async () => {
    const key = randomUUID();
    expect((await acme.fund('1', key)).status).toBe(201);
    expect(await acme.fund('0', key)).toMatchObject({ status: 409, body: { code: 'idempotency_conflict' } });
    expect(await acme.fund('0')).toMatchObject({ status: 400, body: { code: 'amount_below_minimum' } });
  });

  it.each([
    ['a JSON number', { amount: 10 }],
    ['three decimals', { amount: '1.234' }],
    ['a sign', { amount: '-1' }],
    ['13 digits', { amount: '1000000000000' }],
    ['no amount', {}],
    ['an unknown field', { amount: '1', currency: 'USD' }],
    ['an array', ['1']],
  ])('rejects %s', async (_, body) => {
    const response = await acme.post('/api/v1/sandbox/funding', body, { 'Idempotency-Key': randomUUID() });
    expect(response.body).toEqual({
      statusCode: 400,
      code: 'validation_failed',
      message: expect.any(String),
      requestId: response.headers.get('x-request-id'),
    });
  });

  it.each([
    ['missing', {}],
    ['too long', { 'Idempotency-Key': 'x'.repeat(129) }],
    ['with a space', { 'Idempotency-Key': 'a b' }],
  ])('rejects an idempotency key that is %s', async (_, headers: Record<string, string>) => {
    const response = await acme.post('/api/v1/sandbox/funding', { amount: '1' }, headers);
    expect([response.status, response.body['code']]).toEqual([400, 'validation_failed']);
  });

  it('is rejected with a live key', async () => {
    const response = await acmeLive.fund('10');
    expect([response.status, response.body['code']]).toEqual([400, 'sandbox_only']);
    expect(await acmeLive.balance()).toMatchObject({ balance: '0.00', environment: 'live' });
  });

  it('returns a statement whose entries add up to the balance', async () => {
    const { body } = await ida.get(`/api/v1/account-statements?${range}`);
    expect(body).toMatchObject({
      company: { name: 'Probe Limited' },
      environment: 'sandbox',
      currency: 'USD',
      account: 'card_account',
      from: utcDate(-1),
      to: utcDate(1),
      openingBalance: '0.00',
      closingBalance: '2.00',
      incoming: '2.00',
      outgoing: '0.00',
      data: [{ kind: 'deposit', amount: '2.00', balance: '2.00', availableDelta: '2.00', heldDelta: '0.00' }],
    });
  });

  it('returns the same entries as CSV', async () => {
    const response = await ida.get(`/api/v1/account-statements?${range}`, { Accept: 'text/csv' });
    expect(response.headers.get('content-type')).toMatch(/^text\/csv/);
    const [header, entry, end] = response.text.split('\r\n');
    expect(header).toBe('id,reference,kind,description,amount,balance,availableDelta,heldDelta,createdAt');
    expect(entry).toMatch(/,deposit,Sandbox funding,2\.00,2\.00,2\.00,0\.00,/);
    expect(end).toBe('');
  });

  it.each([
    ['without dates', '', 'validation_failed'],
    ['with one date', 'from=2030-01-01', 'validation_failed'],
    ['with a day that does not exist', 'from=2030-02-30&to=2030-03-01', 'validation_failed'],
    ['with a time', 'from=2030-01-01T00:00:00Z&to=2030-01-02', 'validation_failed'],
    ['backwards', 'from=2030-01-02&to=2030-01-01', 'validation_failed'],
    ['with a misspelt parameter', 'from=2030-01-01&to=2030-01-02&form=x', 'validation_failed'],
    ['with a parameter twice', 'from=2030-01-01&from=2030-01-01&to=2030-01-02', 'validation_failed'],
    ['over 367 days', 'from=2029-01-01&to=2030-01-02', 'statement_too_large'],
  ])('rejects a statement %s', async (_, query, code) => {
    const response = await ida.get(`/api/v1/account-statements?${query}`);
    expect([response.status, response.body['code']]).toEqual([400, code]);
  });

  it('returns a statement over 366 days', async () => {
    expect((await ida.get('/api/v1/account-statements?from=2029-01-01&to=2030-01-01')).status).toBe(200);
  });

  it('logs the request id in every line about a request', async () => {
    const requestId = `request-${randomUUID()}`;
    const { headers } = await acme.get('/api/v1/balance', { 'X-Request-Id': requestId });
    expect(headers.get('x-request-id')).toBe(requestId);
    const isAboutRequest = (line: string): boolean => line.includes('"msg":"Request"') && !line.includes('"/health/');
    // The last line may be incomplete.
    const completeLines = async (): Promise<string[]> => florin.log.split('\n').slice(0, -1).filter(isAboutRequest);
    const lines = await until('the request is logged', completeLines, (logged) => logged.join().includes(requestId));
    expect(lines.length).toBeGreaterThan(20);
    for (const line of lines) expect(JSON.parse(line)).toHaveProperty('requestId', expect.any(String));
  });

  it('logs no key', () => {
    for (const account of [acme, acmeLive, ida]) expect(florin.log).not.toContain(account['key']);
    for (const { keys } of florin.credentials.companies) {
      expect(florin.log).not.toContain(keys.sandbox);
      expect(florin.log).not.toContain(keys.live);
    }
    expect(florin.log).not.toContain(florin.credentials.operatorToken);
  });
});
