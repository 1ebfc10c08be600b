import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IssuerSimulator, readIssuerCalls } from '@florin/issuer-simulator';
import { Account, expectBody, type Operation } from './harness/account';
import { databaseOf, EventLog } from './harness/event-log';
import { Operator } from './harness/operator';
import { Florin, runCli } from './harness/florin';
import { orderCount, type Request, requests, type RequestedCards } from './harness/many-requests';
import { cents, dollars } from './harness/orders';

const secret = 'a-secret-shared-with-the-issuer';
const deposit = '1000000.00';
const operatorToken = 'one-token-for-all-of-them';
const clients = 12;

describe('SIGKILL during issuer calls', () => {
  const folder = mkdtempSync(join(tmpdir(), 'florin-issuer-'));
  const journal = join(folder, 'journal');
  let issuer: IssuerSimulator;
  let env: Record<string, string>;
  let first: Florin;
  let replica: Florin;
  /** Through the replica. */
  let account: Account;
  let key: string | undefined;
  let cards: RequestedCards;
  let all: readonly Request[];
  let ended: readonly Operation[];

  beforeAll(async () => {
    issuer = await IssuerSimulator.start({ secret, journal, slowMs: 300 });
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
    cards = prepared.cards;
    all = requests(prepared.holderId, cards);
  });

  afterAll(async () => {
    await issuer.close();
    rmSync(folder, { recursive: true });
  });

  async function prepare(florin: Florin): Promise<{ account: Account; holderId: string; cards: RequestedCards }> {
    const operator = new Operator(florin);
    const companyId = await operator.newCompany({ activations: ['services'] });
    const log = new EventLog(florin);
    await log.settleLiveInvoice(companyId, deposit);
    await log.close();
    const account = await operator.newKey(companyId, 'live');
    const holderId = await account.newHolder();
    expectBody(await operator.post(`/operator/v1/holders/${holderId}/status`, { status: 'active' }), 200);
    const toppedUp = await account.newCard(holderId, '10');
    return { account, holderId, cards: { toppedUp, unloaded: await account.newCard(holderId, '20000') } };
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
      await expectConservedMoney(account, ended, cards);
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

  async function expectConservedMoney(
    account: Account,
    ended: readonly Operation[],
    cards: RequestedCards,
  ): Promise<void> {
    const sumOf = (wanted: (operation: Operation) => boolean, field: 'total' | 'amount' = 'total'): number =>
      ended.filter(wanted).reduce((sum, operation) => sum + cents(operation[field]), 0);
    const paidIn = (wanted: string): number => sumOf(({ type, status }) => type !== 'unload' && status === wanted);
    const unloadedIn = (wanted: string): number => sumOf(({ type, status }) => type === 'unload' && status === wanted);
    const held = paidIn('manual_review');
    // The first two cards cost 13.02 and 20,043.00.
    const left = cents(deposit) - 2_005_602 - paidIn('completed') - held + unloadedIn('completed');
    expect(await account.funds()).toEqual([dollars(left), dollars(held)]);

    const endings: Record<string, string[]> = {
      completed: ['reservation', 'capture', 'fee'],
      failed: ['reservation', 'release'],
      manual_review: ['reservation'],
    };
    const entries = await account.entries();
    for (const { id, type, status, fee } of ended) {
      const kinds = entries.filter(({ reference }) => reference === id).map(({ kind }) => kind);
      const credits = status === 'completed' ? ['refund'] : [];
      const payments = endings[status]!.filter((kind) => kind !== 'fee' || fee !== '0.00');
      expect(kinds).toEqual(type === 'unload' ? credits : payments);
    }
    const loaded = sumOf(({ type, status }) => type === 'topup' && status === 'completed', 'amount');
    expect((await account.card(cards.toppedUp)).balance).toBe(dollars(1_000 + loaded));
    const onCard = 2_000_000 - unloadedIn('completed');
    expect(await account.card(cards.unloaded)).toMatchObject({
      balance: dollars(onCard),
      available: dollars(onCard - unloadedIn('manual_review')),
    });
    const issued = ended.filter(({ type, status }) => type === 'issue' && status === 'completed');
    for (const { result, amount } of issued) expect((await account.card(result.cardId!)).balance).toBe(amount);
    expect((await account.list('/api/v1/cards')).data).toHaveLength(issued.length + 2);
    const { data } = await account.list<Operation>('/api/v1/operations?limit=100');
    expect(data.map(({ id }) => id)).toEqual(expect.arrayContaining(ended.map(({ id }) => id)));
    expect(data).toHaveLength(ended.length + 2);
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
    const { balance, available } = await account.card(cards.unloaded);
    expect(available).toBe(balance);
    expect(readIssuerCalls(journal)).toHaveLength(calls);
  }
});
