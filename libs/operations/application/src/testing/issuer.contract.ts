import { deterministicId, randomId } from '@florin/kernel';
import type { OperationType } from '@florin/operations-domain';
import type { Issuer, IssuerRequest } from '../issuer.port';

export interface IssuerUnderTest {
  readonly issuer: Issuer;
  /** Amounts by which the issuer behind the adapter can be told what to do. */
  readonly amounts: {
    readonly accepted: string;
    readonly declined: string;
    /** Never answered, or never with a yes or a no; the adapter may notice before the signal aborts. */
    readonly unanswered: string;
    /** Not answered before the signal aborts. */
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
      return { ...order, ...card, currency: 'USD', cardReference: 'card-1' };
    case 'service':
      return { ...order, currency: 'USD', recipient: '+31 6 0000 0000' };
  }
}

/** What every issuer promises, whoever stands behind it. That it always ends shows in that the tests do. */
export function issuerContract(name: string, makeIssuer: () => Promise<IssuerUnderTest>): void {
  describe(`${name} keeps the contract of an issuer`, () => {
    let underTest: IssuerUnderTest;
    const patient = new AbortController().signal;

    beforeAll(async () => {
      underTest = await makeIssuer();
    });
    afterAll(() => underTest.close());

    const execute = (order: IssuerRequest, signal: AbortSignal = patient) => underTest.issuer.execute(order, signal);
    const types: OperationType[] = ['issue', 'topup', 'service'];

    it('accepts an issue with the last four digits of the card', async () => {
      const answer = await execute(issuerRequest('issue', underTest.amounts.accepted));
      expect(answer).toEqual({
        outcome: 'accepted',
        receipt: expect.stringMatching(/./),
        last4: expect.stringMatching(/^\d{4}$/),
        cardReference: expect.stringMatching(/./),
      });
    });

    it.each<OperationType>(['topup', 'service'])('accepts a %s, and says nothing about a card', async (type) => {
      const answer = await execute(issuerRequest(type, underTest.amounts.accepted));
      expect(answer).toEqual({ outcome: 'accepted', receipt: expect.stringMatching(/./) });
    });

    it.each(types)('declines: %s', async (type) => {
      const answer = await execute(issuerRequest(type, underTest.amounts.declined));
      expect(answer).toEqual({
        outcome: 'declined',
        code: expect.stringMatching(/^[a-z0-9_]+$/),
        message: expect.stringMatching(/./),
      });
    });

    it.each(types)('says the same about the same %s', async (type) => {
      const { accepted, declined } = underTest.amounts;
      for (const amount of [accepted, declined]) {
        const order = issuerRequest(type, amount);
        expect(await execute(order)).toEqual(await execute(order));
      }
    });

    it('tells different orders apart', async () => {
      const { accepted } = underTest.amounts;
      const answers = await Promise.all([1, 2, 3].map(() => execute(issuerRequest('issue', accepted))));
      const receipts = answers.map((answer) => answer.outcome === 'accepted' && answer.receipt);
      expect(new Set(receipts).size).toBe(3);
    });

    it.each(types)('does not know the outcome of a %s that is never answered', async (type) => {
      const order = issuerRequest(type, underTest.amounts.unanswered);
      const answer = await execute(order, AbortSignal.timeout(200));
      expect(answer).toEqual({ outcome: 'unknown', reason: expect.stringMatching(/./) });
    });

    it.each(types)('ends a slow %s once the signal aborts, and does not know its outcome', async (type) => {
      const deadline = new AbortController();
      const answer = execute(issuerRequest(type, underTest.amounts.slow), deadline.signal);
      setImmediate(() => deadline.abort());
      expect(await answer).toEqual({ outcome: 'unknown', reason: expect.stringMatching(/./) });
    });

    it('does not know the outcome of what it had no time to begin', async () => {
      const answer = await execute(issuerRequest('issue', underTest.amounts.accepted), AbortSignal.abort());
      expect(answer).toEqual({ outcome: 'unknown', reason: expect.stringMatching(/./) });
    });

    it('keeps orders apart that are carried out at the same time', async () => {
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
