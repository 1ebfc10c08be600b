import { decidedByOne } from '@florin/kernel/testing';
import type { CommandReply } from '@florin/event-sourcing';
import type { AddressAnswer, InvoiceAnswer, RequestInvoice } from '@florin/invoicing-domain';
import { formatUsdt, parseUsdt, randomId } from '@florin/kernel';
import { lifetimeMs, treasury } from './testing/simulation/invoicing-simulation';
import { InvoicingApp } from './testing/invoicing-app';

type Reply = CommandReply<InvoiceAnswer>;

const app = new InvoicingApp();
beforeAll(() => app.start());
afterAll(() => app.stop());

let accounts = 0;
const newRequest = (environment: 'sandbox' | 'live', parts: Partial<RequestInvoice['data']> = {}): RequestInvoice => {
  const accountId = `account${accounts++}`;
  const ids = { invoiceId: `invoice-of-${accountId}`, companyId: 'acme', environment, accountId };
  return { type: 'RequestInvoice', data: { ...ids, amount: '100.00', fingerprint: 'f', ...parts } };
};
const request = (command: RequestInvoice): Promise<Reply> => app.send('invoicing', command.data.accountId, command);
const answerOf = (reply: Reply): InvoiceAnswer => {
  if (!reply.ok) throw new Error(reply.refusal.message);
  return reply.answer;
};
const pay = ({ data: { accountId, invoiceId } }: RequestInvoice): Promise<Reply> =>
  app.send('invoicing', accountId, { type: 'PaySandboxInvoice', data: { accountId, invoiceId } });
const statusNow = async ({ data: { invoiceId } }: RequestInvoice): Promise<string | undefined> =>
  (await app.log()).invoices.get(invoiceId)?.phase;
const creditsOf = async ({ data: { accountId } }: RequestInvoice): Promise<unknown[]> =>
  (await app.log()).accountEvents.flatMap((event) => (event.accountId === accountId ? [event.data] : []));
const refusedAs = (refused: string) => ({ ok: false, refusal: { refused, message: expect.any(String) as string } });

let block = 0;
/** Settles a block of the current time, like the watcher. */
async function mine(...paid: readonly { readonly to: string; readonly amount: string }[]): Promise<void> {
  block += 1;
  const blockTime = app.clock.now().toISOString();
  const transfers = paid.map(({ to, amount }, logIndex) => {
    return { transactionId: `tx${block}`, logIndex, from: 'TSender', to, amount, blockNumber: block, blockTime };
  });
  const command = { type: 'SettleBlocks', data: { transfers, toBlockTime: blockTime } };
  expect(await app.send('invoicing', 'chain', command)).toMatchObject({ ok: true });
  await app.settle();
}

describe('a sandbox invoice', () => {
  it('is payable when its request returns and credited when its payment returns', async () => {
    const command = newRequest('sandbox');
    const reply = await request(command);
    expect(reply).toEqual({
      ok: true,
      repeated: false,
      answer: {
        id: command.data.invoiceId,
        environment: 'sandbox',
        status: 'pending',
        depositAmount: '100.00',
        fee: '1.50',
        creditAmount: '98.50',
        address: expect.stringMatching(/^TestSandbox.{23}$/) as string,
        payAmount: expect.stringMatching(/^100\.00\d{4}$/) as string,
        asset: 'USDT',
        network: 'TRON',
        expiresAt: '2030-01-15T13:00:00.000Z',
        createdAt: '2030-01-15T12:00:00.000Z',
      },
    });

    const paid = await pay(command);
    const settlement = {
      transactionId: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      ...{ blockNumber: 0, blockTime: app.clock.now().toISOString() },
    };
    const answer = { ...answerOf(reply), status: 'completed', settlement };
    expect(paid).toEqual({ ok: true, repeated: false, answer });
    const { invoiceId } = command.data;
    const credit = { depositId: invoiceId, reference: invoiceId, amount: '100.00', fee: '1.50' };
    expect(await creditsOf(command)).toMatchObject([
      { ...credit, description: 'Invoice payment', after: { available: '98.50', held: '0.00' } },
    ]);

    expect(await pay(command)).toEqual({ ...paid, repeated: true });
    expect(await request(command)).toEqual({ ...reply, repeated: true });
    await app.settle();
    expect(await creditsOf(command)).toHaveLength(1);
  });

  it('is refused in this order: conflict, minimum, unresolved invoice', async () => {
    const command = newRequest('sandbox');
    answerOf(await request(command));
    const change = (parts: Partial<RequestInvoice['data']>): RequestInvoice => {
      return { ...command, data: { ...command.data, ...parts } };
    };
    expect(await request(change({ fingerprint: 'g', amount: '9.00' }))).toEqual(refusedAs('idempotency_conflict'));
    expect(await request(change({ invoiceId: 'n', amount: '9.99' }))).toEqual(refusedAs('amount_below_minimum'));
    expect(await request(change({ invoiceId: 'n', amount: '10.00' }))).toEqual(refusedAs('unresolved_invoice_exists'));
    answerOf(await pay(command));
    expect(answerOf(await request(change({ invoiceId: `${command.data.invoiceId}-2` })))).toMatchObject({
      status: 'pending',
    });
  });

  it('expires by the system clock and cannot be paid from then on', async () => {
    const command = newRequest('sandbox');
    answerOf(await request(command));
    app.clock.advance(lifetimeMs - 1);
    await app.tick();
    expect(await statusNow(command)).toBe('pending');
    app.clock.advance(1);
    expect(await pay(command)).toEqual(refusedAs('wrong_status'));
    await app.tick();
    expect(await statusNow(command)).toBe('expired');
    expect(await pay(command)).toEqual(refusedAs('wrong_status'));
    expect(await creditsOf(command)).toEqual([]);
  });

  it('must exist and belong to the sandbox', async () => {
    expect(await pay(newRequest('sandbox'))).toEqual(refusedAs('not_found'));
    const live = newRequest('live');
    answerOf(await request(live));
    await expect(pay(live)).rejects.toThrow(/PaySandboxInvoice failed/);
  });

  it('goes to review when the ledger refuses the credit, and again after the decision of an operator', async () => {
    const command = newRequest('sandbox');
    const { accountId, invoiceId } = command.data;
    const facts = { reference: 'r', fee: '0.00', description: '', fingerprint: 'd' };
    const deposit = (depositId: string, amount: string) =>
      app.send('ledger', accountId, { type: 'DepositFunds', data: { accountId, depositId, amount, ...facts } });
    expect(await deposit('full', '999999999999999.99')).toMatchObject({ ok: true });
    answerOf(await request(command));
    expect(answerOf(await pay(command)).status).toBe('manual_review');
    expect(await pay(command)).toEqual(refusedAs('wrong_status'));
    const resolve = (outcome: string, requestId: string): Promise<Reply> => {
      const data = { accountId, invoiceId, outcome, note: 'Go', requestId, ...decidedByOne };
      return app.send('invoicing', accountId, { type: 'ResolveInvoice', data });
    };
    expect(answerOf(await resolve('completed', 'first')).status).toBe('manual_review');
    // The ledger has reopened the review: a duplicate of the decision does not resolve it.
    expect(await resolve('completed', 'first')).toMatchObject({ ok: true, repeated: true });
    expect(answerOf(await resolve('failed', 'second')).status).toBe('failed');
    expect(await resolve('completed', 'third')).toEqual(refusedAs('review_resolved'));
    expect(await creditsOf(command)).toHaveLength(1);
  });
});

describe('a live invoice', () => {
  const issued = async (command: RequestInvoice): Promise<{ to: string; amount: string }> => {
    const { address, payAmount } = answerOf(await request(command));
    expect(treasury).toContain(address);
    return { to: address!, amount: payAmount! };
  };

  it('is credited for a transfer of exactly its amount', async () => {
    const command = newRequest('live');
    const exact = await issued(command);
    await mine({ ...exact, amount: formatUsdt(parseUsdt(exact.amount) + 1n) });
    expect(await statusNow(command)).toBe('pending');
    await mine(exact, exact);
    expect(await statusNow(command)).toBe('completed');
    expect(await creditsOf(command)).toHaveLength(1);
    const reviews = (await app.log()).openReviews().filter(({ address }) => address === exact.to);
    expect(reviews).toHaveLength(2);
  });

  it('expires by block times only, and a late payment waits for an operator', async () => {
    const command = newRequest('live');
    const exact = await issued(command);
    app.clock.advance(2 * lifetimeMs);
    await app.tick();
    expect(await statusNow(command)).toBe('pending');
    await mine();
    expect(await statusNow(command)).toBe('expired');
    await mine(exact);
    expect(await statusNow(command)).toBe('review');
    const { accountId, invoiceId } = command.data;
    const data = {
      accountId,
      invoiceId,
      outcome: 'completed',
      note: 'Late, but there',
      requestId: 'q',
      ...decidedByOne,
    };
    const reply = await app.send<Reply>('invoicing', accountId, { type: 'ResolveInvoice', data });
    expect(answerOf(reply).status).toBe('completed');
    expect(await creditsOf(command)).toHaveLength(1);
  });

  it('is paid by another deposit when an operator attributes it', async () => {
    const [first, second] = [newRequest('live'), newRequest('live')];
    const exact = await issued(first);
    await issued(second);
    await mine(exact);
    await mine({ to: exact.to, amount: '99.000000' });
    const { address, depositId } = (await app.log()).openReviews().at(-1)!;
    const now = app.clock.now().toISOString();
    const resolve = (parts: object, requestId = randomId()): Promise<CommandReply<AddressAnswer>> => {
      const facts = { note: 'Fees taken on the way', requestId, now, ...decidedByOne };
      const data = { address, depositId, outcome: 'completed', ...facts, ...parts };
      return app.send('invoicing', address, { type: 'ResolveDeposit', data });
    };
    const { accountId, invoiceId } = second.data;
    expect(await resolve({ accountId, invoiceId: 'nobody' })).toEqual(refusedAs('not_found'));
    expect(await resolve(first.data)).toEqual(refusedAs('wrong_status'));
    expect(await resolve({ depositId: 'nothing', outcome: 'failed' })).toEqual(refusedAs('deposit_unknown'));
    expect(await resolve({ accountId, invoiceId }, 'q')).toMatchObject({ ok: true, repeated: false });
    expect(await statusNow(second)).toBe('completed');
    expect(await resolve({ accountId, invoiceId }, 'q')).toMatchObject({ ok: true, repeated: true });
    expect(await resolve({ accountId, invoiceId })).toMatchObject({ ok: true });
    expect(await resolve({ outcome: 'failed' })).toEqual(refusedAs('deposit_resolved'));
    expect(await creditsOf(second)).toHaveLength(1);
  });
});
