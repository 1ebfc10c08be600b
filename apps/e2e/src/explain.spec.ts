import { type Account, codeOf, expectBody } from './harness/account';
import { utcDate } from './harness/client';
import { sharedFlorin } from './harness/florin';
import { Operator } from './harness/operator';
import { issue } from './harness/orders';

interface Step {
  readonly position: string;
  readonly stream: string;
  readonly type: string;
  readonly text: string;
  readonly actor?: { readonly kind: string; readonly id: string };
  readonly effects: readonly { of: string; id: string; field: string; delta: string; after: string }[];
}

interface Explanation {
  readonly amounts: readonly { of: string; id: string; field: string; amount: string }[];
  readonly days?: readonly { date: string; available: string; held: string; text: string }[];
  readonly steps?: readonly Step[];
  readonly nextCursor?: string;
}

interface BalanceExplanation {
  readonly revision: number;
  readonly available: string;
  readonly days?: readonly { text: string }[];
  readonly events?: readonly { revision: number; text: string; by?: string; effects: object[] }[];
  readonly nextCursor?: string;
}

const nowhere = '00000000-0000-4000-8000-000000000000';
const reason = 'Goodwill for Mathilda';

describe('explanations', () => {
  let operator: Operator;
  let companyId: string;
  let acme: Account;
  let operationId: string;
  let cardId: string;

  beforeAll(async () => {
    operator = new Operator(await sharedFlorin());
    companyId = await operator.newCompany();
    acme = await operator.newKey(companyId);
    expectBody(await acme.fund('500'), 201);
    const ended = await acme.outcomeOf(issue(await acme.newHolder(), '100', { name: 'Card of Mathilda' }));
    [operationId, cardId] = [ended.id, ended.result.cardId!];
    const adjustment = { environment: 'sandbox', direction: 'credit', amount: '5.00', reason };
    expectBody(await operator.post(`/operator/v1/companies/${companyId}/adjustments`, adjustment), 201);
  });

  const explain = async (kind: string, id: string, query = ''): Promise<Explanation> =>
    expectBody<Explanation>(await operator.get(`/operator/v1/explain/${kind}/${encodeURIComponent(id)}${query}`), 200);
  const explainOwn = async (account: Account, query = ''): Promise<BalanceExplanation> =>
    expectBody<BalanceExplanation>(await account.get(`/api/v1/balance/explain${query}`), 200);
  const accountId = () => `${companyId}-sandbox`;

  it('show operators the events of an operation on all streams, who caused them and what they did', async () => {
    const { steps, amounts } = await explain('operation', operationId);
    expect(steps!.map(({ type }) => type)).toEqual([
      ...['FundsReserved', 'OperationQueued', 'IssuerCallStarted', 'IssuerAccepted'],
      ...['CardIssued', 'ReservationCaptured', 'OperationCompleted'],
    ]);
    expect(steps![0]).toMatchObject({
      text: `103.20 was reserved for operation ${operationId}, including a fee of 3.20.`,
      actor: { kind: 'api_key', id: expect.any(String) },
      effects: [
        { of: 'account', id: accountId(), field: 'available', delta: '-103.20', after: '396.80' },
        { of: 'account', id: accountId(), field: 'held', delta: '103.20', after: '103.20' },
      ],
    });
    expect(amounts).toContainEqual({ of: 'card', id: cardId, field: 'balance', amount: '100.00' });
  });

  it('show operators a card, an invoice and an entry', async () => {
    expect((await explain('card', cardId)).steps).toMatchObject([{ type: 'CardIssued' }]);
    const account = await operator.newAccount();
    const { id } = await account.newInvoice('11');
    expectBody(await account.post(`/api/v1/sandbox/invoices/${id}/complete`), 200);
    const { steps } = await explain('invoice', id);
    expect(steps!.map(({ type }) => type)).toEqual([
      ...['InvoiceOpened', 'PayAmountClaimed', 'InvoiceIssued', 'DepositMatched', 'InvoicePaid'],
      ...['FundsDeposited', 'InvoiceCompleted'],
    ]);
    expect(steps![5]!.text).toBe(`Deposit ${id} of 11.00 was credited, less a fee of 0.17.`);
    const [, fee] = (await account.entries(id)) as unknown as readonly { id: string }[];
    expect((await explain('entry', fee!.id)).steps).toEqual(steps!.slice(0, 6));
  });

  it('show operators a balance by day or by event, as of any time or position, in pages', async () => {
    const { days, amounts } = await explain('balance', accountId());
    expect(days!.at(-1)).toMatchObject({ available: '401.80', held: '0.00' });
    expect(amounts).toEqual([
      { of: 'account', id: accountId(), field: 'available', amount: '401.80' },
      { of: 'account', id: accountId(), field: 'held', amount: '0.00' },
    ]);
    const all = await explain('balance', accountId(), '?all=true');
    expect(all.steps!.map(({ type }) => type)).toEqual([
      ...['FundsDeposited', 'FundsReserved', 'ReservationCaptured', 'AccountAdjusted'],
    ]);
    const first = await explain('balance', accountId(), '?all=true&limit=3');
    expect(first.steps).toEqual(all.steps!.slice(0, 3));
    const next = await explain('balance', accountId(), `?all=true&limit=3&cursor=${first.nextCursor}`);
    expect([next.steps, next.nextCursor]).toEqual([all.steps!.slice(3), undefined]);
    const { amounts: then } = await explain('balance', accountId(), `?asOf=${all.steps![1]!.position}`);
    expect(then.map(({ amount }) => amount)).toEqual(['396.80', '103.20']);
    expect((await explain('balance', accountId(), `?asOf=${utcDate(1)}`)).amounts).toEqual(amounts);
    expect(codeOf(await operator.get(`/operator/v1/explain/balance/${accountId()}?asOf=2020-01-01`))).toEqual([
      ...[404, 'not_found'],
    ]);
  });

  it('do not exist for unknown objects, other kinds and invalid times', async () => {
    for (const kind of ['balance', 'operation', 'invoice', 'card', 'entry']) {
      expect(codeOf(await operator.get(`/operator/v1/explain/${kind}/${nowhere}`))).toEqual([404, 'not_found']);
    }
    expect(codeOf(await operator.get(`/operator/v1/explain/weather/${nowhere}`))).toEqual([404, 'not_found']);
    expect(codeOf(await operator.get(`/operator/v1/explain/card/${cardId}?asOf=yesterday`))).toEqual([
      ...[400, 'validation_failed'],
    ]);
    expect((await acme.get(`/operator/v1/explain/card/${cardId}`)).status).toBe(401);
  });

  it('show a company its own balance, and operators only as such', async () => {
    const { days, ...head } = await explainOwn(acme);
    expect(head).toEqual({
      ...{ revision: 3, available: '401.80', held: '0.00', balance: '401.80' },
      ...{ currency: 'USD', environment: 'sandbox' },
    });
    expect(days!.length).toBeGreaterThan(0);
    const { events } = await explainOwn(acme, '?all=true');
    expect(events!.map(({ revision, by }) => [revision, by])).toEqual([
      [0, 'api_key'],
      [1, 'api_key'],
      [2, 'service'],
      [3, 'operator'],
    ]);
    expect(events![3]).toEqual({
      ...{ revision: 3, at: expect.any(String), by: 'operator' },
      text: expect.stringMatching(/^An operator credited 5\.00 \(adjustment [0-9a-f-]{36}\)\.$/),
      effects: [{ field: 'available', delta: '5.00', after: '401.80' }],
    });
    const page = await explainOwn(acme, '?all=true&limit=1');
    const rest = await explainOwn(acme, `?all=true&cursor=${page.nextCursor}`);
    expect([...page.events!, ...rest.events!]).toEqual(events);
    expect(await explainOwn(acme, '?at=2020-01-01T00:00:00Z')).toMatchObject({
      revision: -1,
      available: '0.00',
      days: [],
    });
  });

  it('show a company nothing of another company or environment', async () => {
    const strangers = [await operator.newAccount(), await operator.newKey(companyId, 'live')];
    const { nextCursor } = await explainOwn(acme, '?all=true&limit=1');
    for (const stranger of strangers) {
      expect(await explainOwn(stranger, '?all=true')).toMatchObject({ revision: -1, available: '0.00', events: [] });
      const response = await stranger.get(`/api/v1/balance/explain?all=true&limit=1&cursor=${nextCursor}`);
      expect(codeOf(response)).toEqual([400, 'validation_failed']);
    }
  });

  it('contain no personal data', async () => {
    const texts = await Promise.all([
      ...['operation', 'card'].map((kind) => explain(kind, kind === 'card' ? cardId : operationId)),
      explain('balance', accountId(), '?all=true'),
      explainOwn(acme, '?all=true'),
    ]);
    expect(JSON.stringify(texts)).not.toMatch(/Edith|Mathilda|Goodwill/);
  });
});
