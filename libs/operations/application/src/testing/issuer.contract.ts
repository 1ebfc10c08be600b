import { deterministicId, randomId } from '@florin/kernel';
import type { OperationType } from '@florin/operations-domain';
import type { Issuer, IssuerRequest } from '../issuer.port';

export interface IssuerUnderTest {
  readonly issuer: Issuer;
  /** The amounts that select the behavior of the issuer behind the adapter. */
  readonly amounts: {
    readonly accepted: string;
    readonly declined: string;
    /** Gets no definite response. The adapter may detect that before the signal aborts. */
    readonly unknown: string;
    /** Gets no response before the signal aborts. */
    readonly slow: string;
  };
  close(): Promise<void>;
}

/** An order with everything that its type needs. The same id gives the same order. */
export function issuerRequest(type: OperationType, amount: string, operationId = randomId()): IssuerRequest {
  const order = { operationId, type, companyId: deterministicId('company', operationId), productId: 'product', amount };
  const card = { cardId: deterministicId('card', operationId) };
  const holder = { holderId: deterministicId('holder', operationId), name: 'Ida Example', email: 'ida@example.com' };
  switch (type) {
    case 'issue':
      return { ...order, ...card, currency: 'USD', holder, name: 'Travel' };
    case 'topup':
    case 'unload':
      return { ...order, ...card, currency: 'USD', cardReference: 'card-1' };
    case 'service':
      return { ...order, currency: 'USD', recipient: '+31 6 0000 0000' };
  }
}

/** The contract of every issuer adapter. */
export function issuerContract(name: string, makeIssuer: () => Promise<IssuerUnderTest>): void {
  describe(`${name} fulfills the issuer contract`, () => {
    let underTest: IssuerUnderTest;
    const noDeadline = new AbortController().signal;

    beforeAll(async () => {
      underTest = await makeIssuer();
    });
    afterAll(() => underTest.close());

    const execute = (order: IssuerRequest, signal: AbortSignal = noDeadline) => underTest.issuer.execute(order, signal);
    const types: OperationType[] = ['issue', 'topup', 'service', 'unload'];

    it('accepts an issue with the last four digits of the card', async () => {
      const response = await execute(issuerRequest('issue', underTest.amounts.accepted));
      expect(response).toEqual({
        outcome: 'accepted',
        receipt: expect.stringMatching(/./),
        last4: expect.stringMatching(/^\d{4}$/),
        cardReference: expect.stringMatching(/./),
      });
    });

    it.each<OperationType>(['topup', 'service', 'unload'])('accepts a %s without card details', async (type) => {
      const response = await execute(issuerRequest(type, underTest.amounts.accepted));
      expect(response).toEqual({ outcome: 'accepted', receipt: expect.stringMatching(/./) });
    });

    it.each(types)('declines a %s', async (type) => {
      const response = await execute(issuerRequest(type, underTest.amounts.declined));
      expect(response).toEqual({
        outcome: 'declined',
        code: expect.stringMatching(/^[a-z0-9_]+$/),
        message: expect.stringMatching(/./),
      });
    });

    it.each(types)('returns the same response for the same %s', async (type) => {
      const { accepted, declined } = underTest.amounts;
      for (const amount of [accepted, declined]) {
        const order = issuerRequest(type, amount);
        expect(await execute(order)).toEqual(await execute(order));
      }
    });

    it('returns different receipts for different orders', async () => {
      const { accepted } = underTest.amounts;
      const responses = await Promise.all([1, 2, 3].map(() => execute(issuerRequest('issue', accepted))));
      const receipts = responses.map((response) => response.outcome === 'accepted' && response.receipt);
      expect(new Set(receipts).size).toBe(3);
    });

    it.each(types)('returns unknown for a %s without a definite response', async (type) => {
      const order = issuerRequest(type, underTest.amounts.unknown);
      const response = await execute(order, AbortSignal.timeout(200));
      expect(response).toEqual({ outcome: 'unknown', reason: expect.stringMatching(/./) });
    });

    it.each(types)('returns unknown for a slow %s when the signal aborts', async (type) => {
      const deadline = new AbortController();
      const response = execute(issuerRequest(type, underTest.amounts.slow), deadline.signal);
      setImmediate(() => deadline.abort());
      expect(await response).toEqual({ outcome: 'unknown', reason: expect.stringMatching(/./) });
    });

    it('returns unknown if the signal is already aborted', async () => {
      const response = await execute(issuerRequest('issue', underTest.amounts.accepted), AbortSignal.abort());
      expect(response).toEqual({ outcome: 'unknown', reason: expect.stringMatching(/./) });
    });

    it('handles concurrent orders independently', async () => {
      const { accepted, declined, slow } = underTest.amounts;
      const deadline = new AbortController();
      const slowly = execute(issuerRequest('topup', slow), deadline.signal);
      const both = [accepted, declined].map((amount) => execute(issuerRequest('topup', amount)));
      const quick = await Promise.all(both);
      deadline.abort();
      expect([...quick, await slowly].map(({ outcome }) => outcome)).toEqual(['accepted', 'declined', 'unknown']);
    });
  });
}
