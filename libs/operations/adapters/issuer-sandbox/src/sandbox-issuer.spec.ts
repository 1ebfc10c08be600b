import { issuerContract, issuerRequest } from '@florin/operations-application/testing';
import { sandboxLast4 } from '@florin/operations-domain';
import { SandboxIssuer } from './sandbox-issuer.adapter';

const amounts = { accepted: '100.00', declined: '100.91', unknown: '100.92', slow: '100.93' };

issuerContract('The sandbox issuer', async () => ({
  issuer: new SandboxIssuer(),
  amounts,
  close: async () => undefined,
}));

describe('the sandbox issuer', () => {
  const operationId = '6f0c3c1e-52f8-5b0e-9f39-0d2b6f2c7a11';
  const noDeadline = new AbortController().signal;
  const issue = (amount: string, issuer = new SandboxIssuer()) =>
    issuer.execute(issuerRequest('issue', amount, operationId), noDeadline);

  it('derives its response from the ids of the order', async () => {
    expect(await issue('100.00')).toEqual({
      outcome: 'accepted',
      receipt: 'SBX-6F0C3C1E52F8',
      last4: sandboxLast4(operationId),
      cardReference: `sandbox-${issuerRequest('issue', '1.00', operationId).cardId}`,
    });
  });

  it('declines .91 with the code `declined`', async () => {
    expect(await issue('10.91')).toMatchObject({ outcome: 'declined', code: 'declined' });
  });

  it('returns unknown for .92 without a delay', async () => {
    expect(await issue('10.92')).toEqual({
      outcome: 'unknown',
      reason: expect.stringContaining('does not respond to amounts that end in .92'),
    });
  });

  it('accepts .93 after five seconds', async () => {
    let elapse = (): void => undefined;
    const delays: number[] = [];
    const issuer = new SandboxIssuer((milliseconds) => {
      delays.push(milliseconds);
      return new Promise((resolve) => (elapse = resolve));
    });
    let settled = false;
    const response = issue('10.93', issuer).finally(() => (settled = true));
    await new Promise(setImmediate);
    expect([delays, settled]).toEqual([[5_000], false]);
    elapse();
    expect(await response).toMatchObject({ outcome: 'accepted', last4: sandboxLast4(operationId) });
  });

  it.each(['100.00', '91.00', '92.19', '9193.90', '0.01', '910.94'])('accepts %s immediately', async (amount) => {
    expect(await issue(amount)).toMatchObject({ outcome: 'accepted' });
  });
});
