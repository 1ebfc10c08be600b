import { randomUUID } from 'node:crypto';
import { IssuerSimulator } from '@florin/issuer-simulator';
import { type Account, codeOf, expectBody, type Operation } from './harness/account';
import { EventLog } from './harness/event-log';
import { Operator } from './harness/operator';
import { Florin } from './harness/florin';
import { until } from './harness/until';
import { issue, service } from './harness/orders';

const secret = 'a-secret-shared-with-the-issuer';
const quota = 500;

describe('the monthly issuance quota', () => {
  let issuer: IssuerSimulator;
  let florin: Florin;
  let operator: Operator;
  let log: EventLog;

  beforeAll(async () => {
    issuer = await IssuerSimulator.start({ secret });
    const env = { RATE_LIMIT_SANDBOX: '0', RATE_LIMIT_LIVE: '0', ISSUER_URL: issuer.url, ISSUER_SECRET: secret };
    florin = await Florin.start({ env });
    operator = new Operator(florin);
    log = new EventLog(florin);
  });

  afterAll(async () => {
    await log.close();
    expect(await florin.stop()).toBe(0);
    await issuer.close();
    florin.removeData();
  });

  async function issueMany(account: Account, holderId: string, count: number): Promise<void> {
    const responses = await Promise.all(Array.from({ length: count }, () => account.operate(issue(holderId, '10'))));
    expect(responses.filter(({ status }) => status !== 201).map(codeOf)).toEqual([]);
  }

  const refused = [400, 'quota_exceeded'];

  it('accepts exactly one of two orders for the last place, and a failed order frees its place', async () => {
    const companyId = await operator.newCompany({ kind: 'individual' });
    const account = await operator.newKey(companyId);
    await account.fund('10000.00');
    const holderId = await account.newHolder();
    const inReview = await account.outcomeOf(issue(holderId, '10.92'));
    expect(inReview.status).toBe('manual_review');
    await issueMany(account, holderId, quota - 2);

    const keys = [randomUUID(), randomUUID()];
    const both = await Promise.all(keys.map((key) => account.operate(issue(holderId, '10'), key)));
    expect(both.map(codeOf).sort()).toEqual([[201, undefined], refused]);
    // An accepted order stays accepted when repeated; a rejected one stays rejected, and its key can be reused.
    const again = await Promise.all(keys.map((key) => account.operate(issue(holderId, '10'), key)));
    expect(again.map(({ status }) => status)).toEqual(both.map(({ status }) => status));

    // Top-ups and services do not count, and the quota is checked before the funds.
    const { data } = await account.list<{ id: string }>('/api/v1/cards?limit=1');
    const topup = {
      type: 'topup',
      productId: 'virtual-usd',
      cardId: data[0]!.id,
      amount: '10',
      expectedTotal: '10.02',
    };
    expect((await account.operate(topup)).status).toBe(201);
    expect(codeOf(await account.operate(issue(holderId, '90000')))).toEqual(refused);

    // An order in review counts until an operator resolves it as failed.
    expectBody(await operator.resolve(inReview.id, 'failed'), 200);
    // An order that the issuer declines frees its own place.
    expect((await account.outcomeOf(issue(holderId, '10.91'))).status).toBe('failed');
    expect((await account.operate(issue(holderId, '10'))).status).toBe(201);
    expect(codeOf(await account.operate(issue(holderId, '10')))).toEqual(refused);

    const isDone = (list: readonly Operation[]): boolean => list.length === 0;
    const queued = async () => (await account.list<Operation>('/api/v1/operations?status=queued')).data;
    const processing = async () => (await account.list<Operation>('/api/v1/operations?status=processing')).data;
    await until('no operation is queued', queued, isDone);
    await until('no operation is in progress', processing, isDone);
    expect((await account.list('/api/v1/cards')).data).toHaveLength(quota);
    // 500 cards for 13.02 each, and the top-up.
    expect(await account.funds()).toEqual(['3479.98', '0.00']);

    // The live environment has a separate quota.
    await log.depositLive(companyId, '100.00');
    const live = await operator.newKey(companyId, 'live');
    const liveHolder = await live.newHolder();
    expectBody(await operator.post(`/operator/v1/holders/${liveHolder}/status`, { status: 'active' }), 200);
    expect((await live.outcomeOf(issue(liveHolder, '10'))).status).toBe('completed');
  });

  it('does not apply to corporate companies, and a repeat is recognized after a thousand operations', async () => {
    const account = await operator.newAccount('20000.00', { kind: 'corporate' });
    const key = randomUUID();
    const first = await account.operate(service('10'), key);
    await issueMany(account, await account.newHolder(), quota + 1);
    const others = await Promise.all(Array.from({ length: quota }, () => account.operate(service('10'))));
    expect(others.filter(({ status }) => status !== 201)).toEqual([]);
    await until(
      'all is spent',
      () => account.funds(),
      ([, held]) => held === '0.00',
    );

    const again = await account.operate(service('10'), key);
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
    expect(again.body).toEqual(first.body);
    expect(codeOf(await account.operate(service('20'), key))).toEqual([409, 'idempotency_conflict']);
    // 501 cards for 13.02 each, and 501 services for 10.00.
    expect(await account.funds()).toEqual(['8466.98', '0.00']);
  });
});
