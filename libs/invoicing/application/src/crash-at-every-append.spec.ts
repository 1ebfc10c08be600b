import { decidedByOne } from '@florin/kernel/testing';
import { type CommandReply, metadataOf } from '@florin/event-sourcing';
import { type PlannedCrash, simulatedOperator } from '@florin/event-sourcing/testing';
import type { InvoiceAnswer, RequestInvoice } from '@florin/invoicing-domain';
import { formatUsdt, parseUsdt } from '@florin/kernel';
import { expectInvariants } from './testing/simulation/invoicing-invariants';
import type { InvoicingLog } from './testing/simulation/invoicing-log';
import { InvoicingSimulation, lifetimeMs } from './testing/simulation/invoicing-simulation';

type Reply = CommandReply<InvoiceAnswer>;

/** The course of the only invoice of each company. */
const companies = [
  ...(['sandbox-paid', 'sandbox-expired', 'sandbox-canceled', 'paid', 'twice', 'late', 'odd', 'unpaid'] as const),
  ...(['canceled', 'paid-canceled'] as const),
];
type Company = (typeof companies)[number];
const canceledOnes = ['sandbox-canceled', 'canceled', 'paid-canceled'] as const;
/** One cent in millionths. One millionth more could be the amount of another invoice. */
const aboveAllAmounts = 10_000n;
/** A number of millionths too much, per company. */
type Payments = { readonly [Each in Company]?: bigint };

const environmentOf = (company: Company): 'sandbox' | 'live' => (company.startsWith('sandbox') ? 'sandbox' : 'live');

const requestOf = (company: Company): RequestInvoice => {
  const accountId = `${company}-${environmentOf(company)}`;
  const data = { invoiceId: company, companyId: company, environment: environmentOf(company), accountId };
  return { type: 'RequestInvoice', data: { ...data, amount: '100.00', fingerprint: 'f' } };
};

afterEach(() => InvoicingSimulation.closeAll());

/** Runs all requests. Clients repeat requests without a reply if `clientsRepeat` is set. */
class Play {
  readonly simulation = new InvoicingSimulation();
  readonly acknowledged = new Set<Company>();

  constructor(
    crash: PlannedCrash | undefined,
    private readonly clientsRepeat: boolean,
  ) {
    this.simulation.plannedCrash = crash;
  }

  async run(): Promise<void> {
    await this.all(companies.map((company) => () => this.request(company)));
    await this.all([() => this.paySandbox()]);
    // Mined before the cancellation, and found after it.
    await this.mine({ 'paid-canceled': 0n });
    this.simulation.clock.advance(1_000);
    await this.all(canceledOnes.map((company) => () => this.cancel(company)));
    await this.pay({ paid: 0n, twice: 0n, odd: aboveAllAmounts });
    await this.pay({ twice: 0n });
    await this.simulation.pass(lifetimeMs);
    await this.pay({ late: 0n });
    await this.simulation.settle();
    await this.all([() => this.resolveLate(), () => this.resolveOdd()]);
    await this.simulation.settle();
  }

  private async all(acts: readonly (() => Promise<boolean>)[]): Promise<void> {
    const pending = new Set(acts);
    for (let attempts = 0; attempts < (this.clientsRepeat ? 2 : 1); attempts++) {
      for (const act of pending) void act().then((done) => done && pending.delete(act));
      await this.simulation.scheduler.runUntilIdle();
    }
  }

  private async request(company: Company): Promise<boolean> {
    const command = requestOf(company);
    const reply = await this.simulation.send<Reply>('invoicing', command.data.accountId, command);
    if (!reply.ok || reply.answer.status !== 'pending') throw new Error(`${company}: ${JSON.stringify(reply)}`);
    return true;
  }

  private async paySandbox(): Promise<boolean> {
    const { accountId, invoiceId } = requestOf('sandbox-paid').data;
    const command = { type: 'PaySandboxInvoice', data: { accountId, invoiceId } };
    const reply = await this.simulation.send<Reply>('invoicing', accountId, command);
    if (reply.ok && reply.answer.status === 'completed') this.acknowledged.add('sandbox-paid');
    return reply.ok;
  }

  private async cancel(company: Company): Promise<boolean> {
    const { accountId, invoiceId } = requestOf(company).data;
    const canceledAt = this.simulation.clock.now().toISOString();
    const data = { accountId, invoiceId, requestId: `cancel ${company}`, canceledAt };
    const reply = await this.simulation.send<Reply>('invoicing', accountId, { type: 'CancelInvoice', data });
    return reply.ok;
  }

  /** Pays in one block, with a number of millionths too much. */
  private async pay(more: Payments): Promise<void> {
    await this.mine(more);
    await this.simulation.scheduler.runUntilIdle();
  }

  private async mine(more: Payments): Promise<void> {
    const { invoices } = await this.simulation.log();
    const payments = Object.entries(more).flatMap(([company, off]) => {
      const payment = invoices.get(company)?.payment;
      if (payment === undefined) return [];
      return [{ to: payment.address, amount: formatUsdt(parseUsdt(payment.payAmount) + off) }];
    });
    await this.simulation.mine(...payments);
  }

  private async resolveLate(): Promise<boolean> {
    const { accountId, invoiceId } = requestOf('late').data;
    const data = { accountId, invoiceId, outcome: 'completed', note: 'Paid', requestId: 'late', ...decidedByOne };
    const reply = await this.simulation.send<Reply>('invoicing', accountId, { type: 'ResolveInvoice', data });
    if (reply.ok) this.acknowledged.add('late');
    return true;
  }

  private async resolveOdd(): Promise<boolean> {
    const { accountId, invoiceId } = requestOf('odd').data;
    const log = await this.simulation.log();
    const odd = log.addressEvents.flatMap(({ type, data }) => {
      return type === 'DepositUnmatched' && data.reason === 'amount_unknown' ? [data] : [];
    })[0];
    if (odd === undefined) return true;
    const { address, deposit } = odd;
    const facts = { accountId, invoiceId, outcome: 'completed', note: 'Paid', now: this.simulation.clock.now() };
    const data = { address, depositId: deposit.depositId, ...facts, requestId: 'odd', ...decidedByOne };
    const reply = await this.simulation.send('invoicing', address, { type: 'ResolveDeposit', data });
    if (reply.ok) this.acknowledged.add('odd');
    return reply.ok;
  }
}

const ends: { readonly [Each in Company]: string } = {
  'sandbox-paid': 'completed',
  'sandbox-expired': 'expired',
  'sandbox-canceled': 'expired',
  paid: 'completed',
  twice: 'completed',
  late: 'completed',
  odd: 'completed',
  unpaid: 'expired',
  canceled: 'expired',
  'paid-canceled': 'completed',
};

function endsIn(log: InvoicingLog): Record<string, string> {
  return Object.fromEntries(companies.map((company) => [company, log.invoices.get(company)?.phase ?? 'none']));
}

/** The actors of all decisions of operators. */
async function decidedBy(simulation: InvoicingSimulation): Promise<readonly unknown[]> {
  const decisions = (await simulation.recorded()).filter(
    ({ type }) => type === 'DepositResolved' || type === 'InvoiceResolved',
  );
  return decisions.map((event) => metadataOf(event).actor);
}

/** The second exact payment waits for an operator; the payment of a wrong amount was attributed. */
const leftForReview = 1;

describe('a process that crashes at any append', () => {
  it('appends events, and without a crash all invoices end correctly', async () => {
    const play = new Play(undefined, false);
    await play.run();
    const log = await expectInvariants(play.simulation);
    expect(endsIn(log)).toEqual(ends);
    expect(log.openReviews()).toHaveLength(leftForReview);
    expect(play.acknowledged).toEqual(new Set(['sandbox-paid', 'late', 'odd']));
    expect(await decidedBy(play.simulation)).toEqual([simulatedOperator, simulatedOperator, simulatedOperator]);
    expect(play.simulation.appends).toBeGreaterThan(40);
  });

  it.each([
    ['before', true],
    ['before', false],
    ['after', true],
    ['after', false],
  ] as const)(
    'recovers from a crash right %s it (clients repeat: %s)',
    async (when, clientsRepeat) => {
      const crashFree = new Play(undefined, clientsRepeat);
      await crashFree.run();
      for (let append = 1; append <= crashFree.simulation.appends; append++) {
        const play = new Play({ append, when }, clientsRepeat);
        await play.run();
        const log = await expectInvariants(play.simulation);
        const healed = endsIn(log);
        for (const actor of await decidedBy(play.simulation))
          expect([append, actor]).toEqual([append, simulatedOperator]);
        for (const company of play.acknowledged) expect([append, healed[company]]).toEqual([append, 'completed']);
        if (clientsRepeat) {
          expect([append, healed]).toEqual([append, ends]);
          expect(log.openReviews()).toHaveLength(leftForReview);
        }
        play.simulation.close();
      }
    },
    60_000,
  );
});
