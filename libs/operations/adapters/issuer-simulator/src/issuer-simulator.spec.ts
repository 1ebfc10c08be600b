import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { signPayload } from '@florin/kernel';
import { IssuerSimulator, readIssuerCalls } from './issuer-simulator';
import { amountFor, planByAmount } from './issuer-behaviors';

const secret = 'a-secret-for-these-tests';

describe('the issuer simulator', () => {
  const folder = mkdtempSync(join(tmpdir(), 'florin-issuer-simulator-'));
  const journal = join(folder, 'journal');
  let issuer: IssuerSimulator;

  beforeAll(async () => {
    const plans = { late: { behavior: 'declined', delayMs: 5 }, broken: { behavior: 'resets', delayMs: 0 } } as const;
    issuer = await IssuerSimulator.start({
      ...{ secret, journal },
      plan: (order) => plans[order.operationId as keyof typeof plans] ?? planByAmount(order),
    });
  });
  afterAll(async () => {
    await issuer.close();
    rmSync(folder, { recursive: true });
  });

  async function order(operationId: string, amount: string, key = secret): Promise<string> {
    const body = JSON.stringify({ operationId, type: 'issue', amount, cardId: 'c' });
    const signature = signPayload(key, Math.floor(Date.now() / 1_000), body);
    const headers = { 'Content-Type': 'application/json', 'Florin-Signature': signature };
    return fetch(`${issuer.url}/operations`, { method: 'POST', body, headers }).then(
      async (response) => `${response.status} ${((await response.json()) as { outcome?: string }).outcome ?? ''}`,
      () => 'no response',
    );
  }

  it('behaves as planned, or else by the cents of the amount, and records every call first', async () => {
    expect(await order('late', '10.00')).toBe('422 declined');
    expect(await order('broken', '10.00')).toBe('no response');
    expect(await order('other', amountFor('serverError'))).toBe('500 ');
    expect(await order('other', '10.00')).toBe('200 accepted');
    const behaviors = ['declined', 'resets', 'serverError', 'accepted'];
    expect(readIssuerCalls(journal).map(({ behavior }) => behavior)).toEqual(behaviors);
    expect(issuer.callsFor('other')).toMatchObject([{ signed: true }, { signed: true }]);
  });

  it('rejects a call with a wrong signature', async () => {
    expect(await order('x', '1.00', 'another-secret')).toBe('401 ');
    expect(issuer.callsFor('x')).toMatchObject([{ signed: false }]);
  });
});
