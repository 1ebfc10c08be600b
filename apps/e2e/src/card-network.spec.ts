import { IssuerSimulator } from '@florin/issuer-simulator';
import { type Account, type Card, codeOf, expectBody } from './harness/account';
import { EventLog } from './harness/event-log';
import { Florin } from './harness/florin';
import { Operator } from './harness/operator';
import { issue } from './harness/orders';

const secret = 'a-secret-shared-with-the-issuer';

interface Transaction {
  readonly status: string;
  readonly reference: string;
  readonly clearedAmount: string;
}

describe('live cards with a simulated issuer', () => {
  let issuer: IssuerSimulator;
  let florin: Florin;
  let operator: Operator;
  let log: EventLog;
  let account: Account;
  let holderId: string;

  beforeAll(async () => {
    issuer = await IssuerSimulator.start({ secret });
    florin = await Florin.start({ env: { ISSUER_URL: issuer.url, ISSUER_SECRET: secret, RATE_LIMIT_LIVE: '0' } });
    issuer.callbacks.sendTo(florin.baseUrl);
    operator = new Operator(florin);
    log = new EventLog(florin);
    const companyId = await operator.newCompany();
    await log.depositLive(companyId, '5000.00');
    account = await operator.newKey(companyId, 'live');
    holderId = await account.newHolder();
    await operator.post(`/operator/v1/holders/${holderId}/status`, { status: 'active' });
  });

  afterAll(async () => {
    await log.close();
    await florin.stop();
    florin.removeData();
    await issuer.close();
  });

  const money = async (cardId: string) => {
    const { balance, available } = await account.card(cardId);
    return [balance, available];
  };
  const transactionsOf = async (cardId: string) =>
    (await account.list<Transaction>(`/api/v1/transactions?cardId=${cardId}`)).data;

  it('are authorized in real time, up to their balance', async () => {
    const cardId = await account.newCard(holderId, '20');
    const decisions = await Promise.all(
      [1, 2, 3].map(() => issuer.network.authorize({ card: cardId, amount: '20.00' })),
    );
    expect(decisions.map(({ decision }) => decision).sort()).toEqual(['approve', 'decline', 'decline']);
    const declined = decisions.find(({ decision }) => decision === 'decline');
    expect(declined).toMatchObject({ reason: 'insufficient_card_balance' });
    expect(await money(cardId)).toEqual(['20.00', '0.00']);
  });

  it.each(['sent', 'reversed'] as const)('end the same after callbacks that are repeated and %s', async (order) => {
    const cardId = await account.newCard(holderId, '100');
    const { reference } = await issuer.network.authorize({ card: cardId, amount: '30.00' });
    issuer.callbacks.hold();
    await issuer.network.clear({ authorization: reference, amount: '10.00', final: false });
    await issuer.network.clear({ authorization: reference, amount: '5.00', final: false });
    const results = await issuer.callbacks.release({ times: 3, order });
    expect(results.map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 200));
    await issuer.network.refund({ authorization: reference, amount: '2.00' });
    expect(await money(cardId)).toEqual(['87.00', '72.00']);
    await issuer.network.reverse({ authorization: reference });
    expect(await money(cardId)).toEqual(['87.00', '87.00']);
    const payment = (await transactionsOf(cardId)).find((transaction) => transaction.reference === reference);
    expect(payment).toMatchObject({ clearedAmount: '15.00' });
  });

  it('refuse a refund that arrives before its clearing, until it is sent again', async () => {
    const cardId = await account.newCard(holderId, '100');
    const { reference } = await issuer.network.authorize({ card: cardId, amount: '30.00' });
    const refund = () => issuer.network.refund({ authorization: reference, amount: '2.00' });
    expect(await refund()).toMatchObject({ status: 409, body: { code: 'idempotency_conflict' } });
    expect(await money(cardId)).toEqual(['100.00', '70.00']);
    await issuer.network.clear({ authorization: reference });
    expect(await refund()).toMatchObject({ status: 200 });
    expect(await money(cardId)).toEqual(['72.00', '72.00']);
  });

  it('refuse a clearing that their money does not cover, and keep the authorization', async () => {
    const cardId = await account.newCard(holderId, '20');
    const { reference } = await issuer.network.authorize({ card: cardId, amount: '15.00' });
    expect(await issuer.network.clear({ authorization: reference, amount: '20.01' })).toMatchObject({
      status: 400,
      body: { code: 'insufficient_card_balance' },
    });
    expect(await money(cardId)).toEqual(['20.00', '5.00']);
    expect(await issuer.network.clear({ authorization: reference, amount: '20.00' })).toMatchObject({ status: 200 });
    expect(await money(cardId)).toEqual(['0.00', '0.00']);
  });

  it('are pending until the issuer activates them', async () => {
    issuer.rules.add({ type: 'issue', behavior: 'pendingCard' });
    const { status, result } = await account.outcomeOf(issue(holderId, '10'));
    expect(status).toBe('completed');
    const cardId = result.cardId!;
    expect(await account.card(cardId)).toMatchObject({ status: 'pending' });
    expect(await issuer.network.authorize({ card: cardId, amount: '1.00' })).toMatchObject({
      decision: 'decline',
      reason: 'card_not_active',
    });
    expect(codeOf(await account.post(`/api/v1/cards/${cardId}/freeze`))).toEqual([400, 'card_not_active']);
    await issuer.network.setStatus({ card: cardId, status: 'active' });
    expect(await account.card(cardId)).toMatchObject({ status: 'active' });
    expect(await issuer.network.authorize({ card: cardId, amount: '1.00' })).toMatchObject({ decision: 'approve' });
  });

  it('can be unloaded and closed after they are blocked', async () => {
    const cardId = await account.newCard(holderId, '10');
    await issuer.network.setStatus({ card: cardId, status: 'blocked' });
    expect(await account.card(cardId)).toMatchObject({ status: 'blocked' });
    const unload = { type: 'unload', cardId, amount: '10.00', expectedTotal: '10.00' };
    expect(await account.outcomeOf(unload)).toMatchObject({ status: 'completed' });
    const closed = await account.post(`/api/v1/cards/${cardId}/close`);
    expect(expectBody<Card>(closed, 200)).toMatchObject({ status: 'closed', balance: '0.00' });
  });

  it('stay in review with the amount reserved when the response to an unload is lost', async () => {
    const cardId = await account.newCard(holderId, '10');
    issuer.rules.add({ type: 'unload', behavior: 'resets' });
    const unload = { type: 'unload', cardId, amount: '10.00', expectedTotal: '10.00' };
    const { id, status } = await account.outcomeOf(unload);
    expect(status).toBe('manual_review');
    expect(await money(cardId)).toEqual(['10.00', '0.00']);
    expect(issuer.callsFor(id)).toHaveLength(1);
    expect(await issuer.confirm({ operationId: id, outcome: 'accepted' })).toMatchObject({ status: 200 });
    expectBody(await operator.resolve(id, 'completed'), 200);
    expect(await account.operation(id)).toMatchObject({ status: 'completed' });
    expect(await money(cardId)).toEqual(['0.00', '0.00']);
  });
});
