import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeIssuer, readIssuerCalls } from '@florin/dev-platform/testing';
import { Account, expectBody, type Operation } from './harness/account';
import { databaseOf, EventLog } from './harness/event-log';
import { Operator } from './harness/operator';
import { Florin, runCli } from './harness/florin';
import { cents, dollars, issue, service, topup, type Order } from './harness/orders';

const secret = 'a-secret-shared-with-the-issuer';
const deposit = '1000000.00';
const operatorToken = 'one-token-for-all-of-them';
const orderCount = 64;
const clients = 12;

interface Request {
  readonly key: string;
  readonly order: Order;
  /** The operation's id, once a client has received it. */
  id?: string;
}

/** Mostly slow responses, so that some calls are always in progress; each amount is unique. */
function requests(holderId: string, cardId: string): Request[] {
  const centsOfResponses = ['93', '93', '91', '93', '92', '93', '00', '93'];
  const kinds = [(amount: string) => issue(holderId, amount), (amount: string) => topup(cardId, amount), service];
  return Array.from({ length: orderCount }, (_, index) => {
    const amount = `${100 + index}.${centsOfResponses[index % centsOfResponses.length]}`;
    return { key: randomUUID(), order: kinds[index % kinds.length]!(amount) };
  });
}

describe('SIGKILL during issuer calls', () => {
  const folder = mkdtempSync(join(tmpdir(), 'florin-issuer-'));
  const journal = join(folder, 'journal');
  let issuer: FakeIssuer;
  let env: Record<string, string>;
  let first: Florin;
  let replica: Florin;
  /** Through the replica. */
  let account: Account;
  let key: string | undefined;
  let cardId: string;
  let all: readonly Request[];
  let ended: readonly Operation[];

  beforeAll(async () => {
    issuer = await FakeIssuer.start({ secret, journal, slowMs: 300 });
    const calls = {
      ISSUER_URL: issuer.url,
      ISSUER_SECRET: secret,
      ISSUER_TIMEOUT_SECONDS: '1',
      ISSUER_CONCURRENCY: '10',
      STALLED_AFTER_SECONDS: '2',
    };
    env = { RATE_LIMIT_LIVE: '0', LOG_LEVEL: 'warn', FLORIN_OPERATOR_TOKEN: operatorToken, ...calls };
    first = await Florin.start({ env });
    const prepared = await prepare(first);
    key = prepared.account['key'];
    cardId = prepared.cardId;
    all = requests(prepared.holderId, cardId);
  });

  afterAll(async () => {
    await issuer.close();
    rmSync(folder, { recursive: true });
  });

  async function prepare(florin: Florin): Promise<{ account: Account; holderId: string; cardId: string }> {
    const operator = new Operator(florin);
    const companyId = await operator.newCompany({ activations: ['services'] });
    const log = new EventLog(florin);
    await log.settleLiveInvoice(companyId, deposit);
    await log.close();
    const account = await operator.newKey(companyId, 'live');
    const holderId = await account.newHolder();
    expectBody(await operator.post(`/operator/v1/holders/${holderId}/status`, { status: 'active' }), 200);
    return { account, holderId, cardId: await account.newCard(holderId, '10') };
  }

  /** Sends all unacknowledged requests from several clients. A client without a response continues at the next Florin. */
  async function sendAll(key: string | undefined, florins: readonly Florin[], all: readonly Request[]): Promise<void> {
    const queue = all.filter(({ id }) => id === undefined);
    const work = async (client: number): Promise<void> => {
      const accounts = florins.map(({ baseUrl }) => new Account(baseUrl, key));
      if (client % 2 === 1) accounts.reverse();
      for (let next = queue.shift(); next !== undefined && accounts.length > 0;) {
        const response = await accounts[0]!.operate(next.order, next.key).catch(() => undefined);
        if (response === undefined) accounts.shift();
        // Replicas that write to one account conflict, and return 503 to request a retry.
        else if (response.status !== 503) {
          next.id = expectBody<Operation>(response, 201).id;
          next = queue.shift();
        }
      }
    };
    await Promise.all(Array.from({ length: clients }, (_, client) => work(client)));
  }

  it('of the only process leaves no operation with a second call', async () => {
    const killedDuringCalls = issuer.untilReceived(12).then(() => first.kill());
    await sendAll(key, [first], all.slice(0, orderCount / 2));
    await killedDuringCalls;
    expectNoSecondCall();
  });

  describe('of one of two replicas', () => {
    let second: Florin;

    /** On the data of the killed one. */
    beforeAll(async () => {
      second = await Florin.start({ dataDirectory: first.dataDirectory, env });
      replica = await Florin.start({ env: { ...env, FLORIN_SEED: 'none', ...databaseOf(second) } });
      account = new Account(replica.baseUrl, key);
    });

    it('causes no second call: every operation ends or goes to review', async () => {
      // The second half of the orders: these calls have not been made by the start of the replicas.
      const killedAgain = issuer.untilReceived(issuer.calls.length + 12).then(() => second.killAlone());
      await sendAll(key, [second, replica], all);
      await killedAgain;
      // The other replica must continue alone.
      await sendAll(key, [replica], all);
      ended = await Promise.all(all.map(({ id }) => account.untilEnded(id!)));
      expectOneCallEach(ended);
    });

    it('returns the same operations when a client repeats every request', async () => {
      for (const request of all) {
        const response = await account.operate(request.order, request.key);
        expect([response.status, response.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
        expect(response.body['id']).toBe(request.id);
      }
      expectOneCallEach(ended);
    });

    it('loses no cent, and operators resolve the reviews without a call', async () => {
      await expectConservedMoney(account, ended, cardId);
      await resolveReviews(replica, account, ended);
    });
  });

  describe('and a restart', () => {
    let funds: readonly [string, string];
    let third: Florin;

    beforeAll(async () => {
      funds = await account.funds();
      expect(await replica.stop()).toBe(0);
      replica.removeData();
      third = await Florin.start({ dataDirectory: first.dataDirectory, env });
    });

    it('leave the same funds', async () => {
      expect(await new Account(third.baseUrl, key).funds()).toEqual(funds);
    });

    it('leave a log that passes verification and audit', async () => {
      expect(await third.stop()).toBe(0);
      const folder = { FLORIN_DATA_DIR: first.dataDirectory };
      expect(runCli(['verify', '--json'], folder)).toMatchObject({ broken: [] });
      expect(runCli(['audit', '--json'], folder)).toMatchObject({ flaws: [], notes: [] });
      third.removeData();
    });
  });

  function expectNoSecondCall(): void {
    const called = readIssuerCalls(journal).map(({ order }) => order.operationId);
    expect(called.length).toBeGreaterThanOrEqual(12);
    expect(new Set(called).size).toBe(called.length);
  }

  function expectOneCallEach(ended: readonly Operation[]): void {
    const calls = readIssuerCalls(journal);
    const callsOf = (id: string): number => calls.filter(({ order }) => order.operationId === id).length;
    expect(calls.every(({ signed }) => signed)).toBe(true);
    for (const { id, status, amount } of ended) {
      const scenario = amount.slice(-2);
      const possible =
        scenario === '92' ? ['manual_review'] : [scenario === '91' ? 'failed' : 'completed', 'manual_review'];
      expect(possible).toContain(status);
      // A kill between the stored intent and the call leaves an operation that was never sent to the issuer.
      if (status === 'manual_review') expect(callsOf(id)).toBeLessThanOrEqual(1);
      else expect([id, callsOf(id)]).toEqual([id, 1]);
    }
    // The kills have interrupted calls: the issuer accepted them, but no process received the response.
    const interrupted = ended.filter(({ status, amount }) => status === 'manual_review' && !amount.endsWith('.92'));
    expect(interrupted.length).toBeGreaterThanOrEqual(2);
    expect(ended.filter(({ status }) => status === 'completed').length).toBeGreaterThan(10);
  }

  async function expectConservedMoney(account: Account, ended: readonly Operation[], cardId: string): Promise<void> {
    const sumOf = (wanted: (operation: Operation) => boolean, field: 'total' | 'amount' = 'total'): number =>
      ended.filter(wanted).reduce((sum, operation) => sum + cents(operation[field]), 0);
    const held = sumOf(({ status }) => status === 'manual_review');
    // The first card cost 13.02.
    const left = cents(deposit) - 1_302 - sumOf(({ status }) => status === 'completed') - held;
    expect(await account.funds()).toEqual([dollars(left), dollars(held)]);

    const endings: Record<string, string[]> = {
      completed: ['reservation', 'capture'],
      failed: ['reservation', 'release'],
      manual_review: ['reservation'],
    };
    const entries = await account.entries();
    for (const { id, status } of ended) {
      expect(entries.filter(({ reference }) => reference === id).map(({ kind }) => kind)).toEqual(endings[status]);
    }
    const loaded = sumOf(({ type, status }) => type === 'topup' && status === 'completed', 'amount');
    expect((await account.card(cardId)).balance).toBe(dollars(1_000 + loaded));
    const issued = ended.filter(({ type, status }) => type === 'issue' && status === 'completed');
    for (const { result, amount } of issued) expect((await account.card(result.cardId!)).balance).toBe(amount);
    expect((await account.list('/api/v1/cards')).data).toHaveLength(issued.length + 1);
    const { data } = await account.list<Operation>('/api/v1/operations?limit=100');
    expect(data.map(({ id }) => id)).toEqual(expect.arrayContaining(ended.map(({ id }) => id)));
    expect(data).toHaveLength(ended.length + 1);
  }

  /** Operators resolve the unknown outcomes, without issuer calls. */
  async function resolveReviews(florin: Florin, account: Account, ended: readonly Operation[]): Promise<void> {
    const [operator, calls] = [new Operator(florin, operatorToken), readIssuerCalls(journal).length];
    for (const [index, { id }] of ended.filter(({ status }) => status === 'manual_review').entries()) {
      const outcome = index % 2 === 0 ? 'completed' : 'failed';
      expectBody(await operator.resolve(id, outcome, { last4: '1881' }), 200);
      expect((await account.operation(id)).status).toBe(outcome);
    }
    expect((await account.funds())[1]).toBe('0.00');
    expect(readIssuerCalls(journal)).toHaveLength(calls);
  }
});
