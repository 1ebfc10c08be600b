import { formatUsdt, parseUsdt } from '@florin/kernel';
import { simulatedAddress, transfer, type TronSimulator } from '@florin/tron-simulator';
import { type Account, codeOf, expectBody, type Invoice, type Listed } from './harness/account';
import { at, chainSettings, startChain, treasury } from './harness/live-chain';
import { Operator } from './harness/operator';
import { Florin } from './harness/florin';
import { until } from './harness/until';

interface Deposit {
  readonly id: string;
  readonly amount: string;
  readonly status: string;
  readonly reason?: string;
  readonly invoiceId?: string;
}

const nothing = ['0.00', '0.00'];
const credited = ['98.50', '0.00'];

describe('invoices in live', () => {
  let chain: TronSimulator;
  let florin: Florin;
  let operator: Operator;
  /** Deposits of earlier tests. */
  let earlier: ReadonlySet<string> = new Set();

  async function start(): Promise<void> {
    chain = await startChain();
    florin = await Florin.start({ env: chainSettings(chain) });
    operator = new Operator(florin);
    earlier = new Set();
  }

  async function stop(): Promise<void> {
    expect(await florin.stop()).toBe(0);
    florin.removeData();
    await chain.stop();
  }

  async function newLiveAccount(): Promise<Account> {
    return operator.newKey(await operator.newCompany({ activations: ['direct_invoices'] }), 'live');
  }

  const pay = ({ address: to, payAmount }: Invoice, millionthsMore = 0n) =>
    chain.pay({ to, amount: formatUsdt(parseUsdt(payAmount) + millionthsMore) });

  /** Waits until every block of the chain is recorded. */
  async function untilRead(): Promise<void> {
    const { number } = chain.state().solidHead;
    const watcher = await florin.monitorOf('tron-watcher');
    await until(
      `block ${number} is recorded`,
      async () => (await watcher.get('/health/ready')).body['checks'] as { tron: { cursorBlock: number } },
      ({ tron }) => tron.cursorBlock >= number,
    );
  }

  async function listDeposits(): Promise<readonly Deposit[]> {
    const { data } = expectBody<Listed<Deposit>>(await operator.get('/operator/v1/deposits'), 200);
    return data.filter(({ id }) => !earlier.has(id));
  }

  function untilDeposits(count: number): Promise<readonly Deposit[]> {
    return until(`${count} deposits are listed`, listDeposits, ({ length }) => length >= count);
  }

  async function ignoreEarlierDeposits(): Promise<void> {
    const all = expectBody<Listed<Deposit>>(await operator.get('/operator/v1/deposits?limit=100'), 200).data;
    earlier = new Set(all.map(({ id }) => id));
  }

  describe('on one chain', () => {
    beforeAll(start);
    afterAll(stop);

    describe('before they expire', () => {
      beforeEach(ignoreEarlierDeposits);

      it('require the activation', async () => {
        const account = await operator.newKey(await operator.newCompany(), 'live');
        expect(codeOf(await account.requestInvoice({ amount: '100' }))).toEqual([403, 'capability_inactive']);
      });

      it('are credited for a payment from before their cancellation, and show its transfer', async () => {
        const account = await newLiveAccount();
        const invoice = await account.newInvoice();
        const { expiresAt } = expectBody<Invoice>(await account.cancelInvoice(invoice.id), 200);
        // The block is read after the cancellation.
        chain.setTime(at(expiresAt, -1));
        const { number: blockNumber, time: blockTime, transactions } = pay(invoice);
        const { settlement } = await account.untilInvoice(invoice.id, 'completed');
        expect(settlement).toEqual({ transactionId: transactions[0]!.id, blockNumber, blockTime });
        expect(await account.funds()).toEqual(credited);
      });

      it('expire once the chain has passed their cancellation, and a later payment is not credited', async () => {
        const account = await newLiveAccount();
        const invoice = await account.newInvoice();
        expectBody(await account.cancelInvoice(invoice.id), 200);
        chain.mine();
        await account.untilInvoice(invoice.id, 'expired');
        pay(invoice);
        await account.untilInvoice(invoice.id, 'manual_review');
        expect(await account.funds()).toEqual(nothing);
      });

      it('are not credited for another amount, contract or address', async () => {
        const account = await newLiveAccount();
        const invoice = await account.newInvoice();
        const { address: to, payAmount: amount } = invoice;
        pay(invoice, -1n);
        pay(invoice, 1n);
        chain.mine(transfer({ to, amount, contract: simulatedAddress('fake USDT') }));
        chain.mine(transfer({ to: treasury.find((address) => address !== to)!, amount }));
        await untilDeposits(3);
        expect(await account.invoice(invoice.id)).toMatchObject({ status: 'pending' });
        expect(await account.funds()).toEqual(nothing);
        pay(invoice);
        await account.untilInvoice(invoice.id, 'completed');
        pay(invoice);
        const deposits = await untilDeposits(5);
        expect(deposits.map(({ reason }) => reason).sort()).toEqual(
          ['amount_unknown', 'amount_unknown', 'amount_unknown', 'paid_already', undefined].sort(),
        );
        expect(await account.funds()).toEqual(credited);
      });

      it('are credited once when an operator attributes a deposit', async () => {
        const account = await newLiveAccount();
        const invoice = await account.newInvoice();
        pay(invoice, -1n);
        const [deposit] = await untilDeposits(1);
        const { data: reviews } = expectBody<Listed<{ id: string }>>(await operator.get('/operator/v1/reviews'), 200);
        expect(reviews.find(({ id }) => id === deposit!.id)).toMatchObject({ kind: 'deposit' });
        expect(codeOf(await operator.resolve(deposit!.id, 'completed'))).toEqual([400, 'validation_failed']);
        const decision = { invoiceId: invoice.id };
        expectBody(await operator.resolve(deposit!.id, 'completed', decision), 200);
        expectBody(await operator.resolve(deposit!.id, 'completed', decision), 200);
        expect(codeOf(await operator.resolve(deposit!.id, 'failed'))).toEqual([409, 'idempotency_conflict']);
        expect(await account.invoice(invoice.id)).toMatchObject({ status: 'completed' });
        expect(await account.funds()).toEqual(credited);
        pay(invoice);
        await untilDeposits(2);
        expect(await account.funds()).toEqual(credited);
      });

      it('are credited when the exact payment is final', async () => {
        const [account, other] = [await newLiveAccount(), await newLiveAccount()];
        const [invoice, others] = [await account.newInvoice(), await other.newInvoice()];
        expect(treasury).toContain(invoice.address);
        expect([invoice.address, invoice.payAmount]).not.toEqual([others.address, others.payAmount]);
        pay(invoice);
        await account.untilInvoice(invoice.id, 'completed');
        expect(await account.funds()).toEqual(credited);
        expect((await account.entries(invoice.id)).map(({ kind }) => kind)).toEqual(['deposit', 'fee']);
        expect(await other.invoice(others.id)).toMatchObject({ status: 'pending' });
        expect(await other.funds()).toEqual(nothing);
        const watcher = await florin.monitorOf('tron-watcher');
        const { body } = await watcher.get('/health/ready');
        expect(body['checks']).toMatchObject({ tron: { ok: true, state: 'following', lagBlocks: expect.any(Number) } });
        expect((await watcher.get('/metrics')).text).toMatch(/^florin_tron_lag_blocks\{.*\} \d+$/m);
      });

      it('are credited after a node was throttled or unavailable for a while', async () => {
        const account = await newLiveAccount();
        const invoice = await account.newInvoice();
        chain.fault({ kind: 'status', status: 429, times: 1, retryAfterSeconds: 1 });
        chain.fault({ kind: 'status', status: 503, times: 1 });
        pay(invoice);
        await account.untilInvoice(invoice.id, 'completed');
        expect(await account.funds()).toEqual(credited);
      });
    });

    describe('when Florin is killed repeatedly while it reads the payment', () => {
      let account: Account;
      let invoice: Invoice;

      beforeAll(async () => {
        await ignoreEarlierDeposits();
        account = await newLiveAccount();
        invoice = await account.newInvoice();
        chain.mineEmpty(500);
        pay(invoice);
      });

      it.each([0, 40, 120])('are credited at most once after a kill %i ms later', async (pauseMs) => {
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
        await florin.kill();
        florin = await Florin.start({ dataDirectory: florin.dataDirectory, env: chainSettings(chain) });
        account = account.movedTo(florin.baseUrl);
        operator = new Operator(florin);
        chain.mineEmpty(50);
        expect([nothing, credited]).toContainEqual(await account.funds());
      });

      it('are credited once in the end', async () => {
        await account.untilInvoice(invoice.id, 'completed');
        await untilRead();
        expect(await account.funds()).toEqual(credited);
        expect(await untilDeposits(1)).toMatchObject([{ status: 'matched', invoiceId: invoice.id }]);
      });
    });

    // The last one, because it sets the chain's clock ahead.
    describe('around their expiry', () => {
      it('expire by the clock of the chain, and a late payment goes to review', async () => {
        const account = await newLiveAccount();
        const late = await account.newInvoice();
        chain.setTime(at(late.expiresAt, -1_000));
        chain.mine();
        await untilRead();
        expect(await account.invoice(late.id)).toMatchObject({ status: 'pending' });
        chain.setTime(late.expiresAt);
        chain.mine();
        await account.untilInvoice(late.id, 'expired');
        pay(late);
        await account.untilInvoice(late.id, 'manual_review');
        expect(await account.funds()).toEqual(nothing);
        expect(codeOf(await account.requestInvoice({ amount: '100' }))).toEqual([400, 'unresolved_invoice_exists']);
        expectBody(await operator.resolve(late.id, 'completed'), 200);
        expectBody(await operator.resolve(late.id, 'completed'), 200);
        expect(codeOf(await operator.resolve(late.id, 'failed'))).toEqual([409, 'idempotency_conflict']);
        expect(await account.invoice(late.id)).toMatchObject({ status: 'completed' });
        expect(await account.funds()).toEqual(credited);
      });
    });
  });

  describe('around their expiry, after a crash', () => {
    beforeAll(start);
    afterAll(stop);

    it('are paid in time when Florin was down at the time of the payment', async () => {
      const [account, tardy] = [await newLiveAccount(), await newLiveAccount()];
      const [invoice, others] = [await account.newInvoice(), await tardy.newInvoice()];
      await florin.kill();
      chain.setTime(at(invoice.expiresAt, -1_000));
      pay(invoice);
      chain.setTime(at(others.expiresAt, 1_000));
      pay(others);
      chain.mineEmpty(200);
      florin = await Florin.start({ dataDirectory: florin.dataDirectory, env: chainSettings(chain) });
      const [again, late] = [account.movedTo(florin.baseUrl), tardy.movedTo(florin.baseUrl)];
      await again.untilInvoice(invoice.id, 'completed');
      await late.untilInvoice(others.id, 'manual_review');
      expect(await again.funds()).toEqual(credited);
      expect(await late.funds()).toEqual(nothing);
    });
  });
});
