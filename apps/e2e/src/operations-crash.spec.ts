import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeIssuer, readIssuerCalls } from '@florin/dev-platform';
import { Account, expectBody, type Operation } from './harness/account';
import { databaseUrlOf, EventLog } from './harness/event-log';
import { Operator } from './harness/operator';
import { Product, runCli } from './harness/product';
import { cents, dollars, issue, service, topup, type Wish } from './harness/wishes';

const secret = 'a-secret-shared-with-the-issuer';
const deposit = '1000000.00';
const wishes = 64;
const clients = 12;

interface Request {
  readonly key: string;
  readonly wish: Wish;
  /** The operation's id, once a client has been told of it. */
  id?: string;
}

/** Mostly answers that take a moment, so that some calls are always under way; each amount is its own. */
function requests(holderId: string, cardId: string): Request[] {
  const centsOfAnswers = ['93', '93', '91', '93', '92', '93', '00', '93'];
  const kinds = [(amount: string) => issue(holderId, amount), (amount: string) => topup(cardId, amount), service];
  return Array.from({ length: wishes }, (_, index) => {
    const amount = `${100 + index}.${centsOfAnswers[index % centsOfAnswers.length]}`;
    return { key: randomUUID(), wish: kinds[index % kinds.length]!(amount) };
  });
}

describe('SIGKILL during issuer calls', () => {
  const folder = mkdtempSync(join(tmpdir(), 'florin-issuer-'));
  const journal = join(folder, 'journal');
  let issuer: FakeIssuer;
  let env: Record<string, string>;

  beforeAll(async () => {
    issuer = await FakeIssuer.start({ secret, journal, slowMs: 300 });
    const calls = {
      ISSUER_URL: issuer.url,
      ISSUER_SECRET: secret,
      ISSUER_TIMEOUT_SECONDS: '1',
      ISSUER_CONCURRENCY: '10',
    };
    env = { RATE_LIMIT_LIVE: '0', LOG_LEVEL: 'warn', FLORIN_OPERATOR_TOKEN: 'one-token-for-all-of-them', ...calls };
  });

  afterAll(async () => {
    await issuer.close();
    rmSync(folder, { recursive: true });
  });

  async function prepare(product: Product): Promise<{ account: Account; holderId: string; cardId: string }> {
    const operator = new Operator(product);
    const companyId = await operator.newCompany({ activations: ['services'] });
    const log = new EventLog(product);
    await log.depositLive(companyId, deposit);
    await log.close();
    const account = await operator.newKey(companyId, 'live');
    const holderId = await account.newHolder();
    expectBody(await operator.post(`/operator/v1/holders/${holderId}/status`, { status: 'active' }), 200);
    return { account, holderId, cardId: await account.newCard(holderId, '10') };
  }

  /** Sends whatever nobody has been told of, from several clients at once; whoever gets no answer turns to the next product. */
  async function sendAll(
    key: string | undefined,
    products: readonly Product[],
    all: readonly Request[],
  ): Promise<void> {
    const queue = all.filter(({ id }) => id === undefined);
    const work = async (client: number): Promise<void> => {
      const accounts = products.map(({ baseUrl }) => new Account(baseUrl, key));
      if (client % 2 === 1) accounts.reverse();
      for (let next = queue.shift(); next !== undefined && accounts.length > 0;) {
        const reply = await accounts[0]!.operate(next.wish, next.key).catch(() => undefined);
        if (reply === undefined) accounts.shift();
        // Replicas that write to one account overtake each other, and ask to repeat.
        else if (reply.status !== 503) {
          next.id = expectBody<Operation>(reply, 201).id;
          next = queue.shift();
        }
      }
    };
    await Promise.all(Array.from({ length: clients }, (_, client) => work(client)));
  }

  it('never makes a second call; afterwards everything has ended or waits for a person, and no cent is lost', async () => {
    const first = await Product.start({ env });
    const { dataDirectory } = first;
    const { account: firstAccount, holderId, cardId } = await prepare(first);
    const key = firstAccount['key'];
    const all = requests(holderId, cardId);
    const killedInCalls = issuer.untilReceived(12).then(() => first.kill());
    await sendAll(key, [first], all);
    await killedInCalls;

    // The next one has a replica beside it, which has to go on alone when that one is killed, too.
    const second = await Product.start({ dataDirectory, env });
    const replica = await Product.start({ env: { ...env, FLORIN_SEED: 'none', DATABASE_URL: databaseUrlOf(second) } });
    const killedAgain = issuer.untilReceived(issuer.calls.length + 12).then(() => second.killAlone());
    await sendAll(key, [second, replica], all);
    await killedAgain;
    await sendAll(key, [replica], all);

    // A client may repeat everything, and gets the same operations.
    const account = new Account(replica.baseUrl, key);
    for (const request of all) {
      const reply = await account.operate(request.wish, request.key);
      expect([reply.status, reply.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
      expect(reply.body['id']).toBe(request.id);
    }
    const ended = await Promise.all(all.map(({ id }) => account.untilEnded(id!, 60_000)));
    expectOneCallEach(ended);
    await expectConservedMoney(account, ended, cardId);
    await resolveReviews(replica, account, ended);
    const funds = await account.funds();
    expect(await replica.stop()).toBe(0);
    replica.removeData();

    const third = await Product.start({ dataDirectory, env });
    expect(await new Account(third.baseUrl, key).funds()).toEqual(funds);
    expect(await third.stop()).toBe(0);
    expect(runCli(['verify', '--json'], { FLORIN_DATA_DIR: dataDirectory })).toMatchObject({ broken: [] });
    expect(runCli(['audit', '--json'], { FLORIN_DATA_DIR: dataDirectory })).toMatchObject({ flaws: [], notes: [] });
    third.removeData();
  });

  function expectOneCallEach(ended: readonly Operation[]): void {
    const calls = readIssuerCalls(journal);
    const callsOf = (id: string): number => calls.filter(({ order }) => order.operationId === id).length;
    expect(calls.every(({ signed }) => signed)).toBe(true);
    for (const { id, status, amount } of ended) {
      const answer = amount.slice(-2);
      const possible =
        answer === '92' ? ['manual_review'] : [answer === '91' ? 'failed' : 'completed', 'manual_review'];
      expect(possible).toContain(status);
      // Between the stored intent and the call there is a moment in which a kill leaves an operation that was never told.
      if (status === 'manual_review') expect(callsOf(id)).toBeLessThanOrEqual(1);
      else expect([id, callsOf(id)]).toEqual([id, 1]);
    }
    // The kills have hit calls under way: the issuer said yes to somebody who was gone.
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

  /** A person ends what nobody could know; that takes no call either. */
  async function resolveReviews(product: Product, account: Account, ended: readonly Operation[]): Promise<void> {
    const [operator, calls] = [new Operator(product), readIssuerCalls(journal).length];
    for (const [index, { id }] of ended.filter(({ status }) => status === 'manual_review').entries()) {
      const outcome = index % 2 === 0 ? 'completed' : 'failed';
      expectBody(await operator.resolve(id, outcome, { last4: '1881' }), 200);
      expect((await account.operation(id)).status).toBe(outcome);
    }
    expect((await account.funds())[1]).toBe('0.00');
    expect(readIssuerCalls(journal)).toHaveLength(calls);
  }
});
