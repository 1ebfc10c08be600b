import { decidedByOne } from '@florin/kernel/testing';
import type { CommandReply } from '@florin/event-sourcing';
import {
  RepeatableRequests,
  type RandomActor,
  type RandomSimulation,
  seededChoice,
} from '@florin/event-sourcing/testing';
import type { InvoiceAnswer, RequestInvoice } from '@florin/invoicing-domain';
import { formatUsdt, parseUsdt } from '@florin/kernel';
import * as fc from 'fast-check';
import { violationsIn } from './invoicing-invariants';
import { InvoicingSimulation } from './invoicing-simulation';

const actions = [
  { weight: 6, arbitrary: fc.record({ does: fc.constant('request' as const), company: fc.nat(2), key: fc.nat(3) }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('pay-sandbox' as const), which: fc.nat() }) },
  {
    weight: 5,
    arbitrary: fc.record({
      does: fc.constant('transfer' as const),
      which: fc.nat(),
      off: fc.constantFrom(0n, 0n, 0n, 1n, -1n),
      times: fc.integer({ min: 1, max: 2 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('block' as const) }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('wait' as const), minutes: fc.constantFrom(1, 30, 61) }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('cancel' as const), which: fc.nat() }) },
  {
    weight: 2,
    arbitrary: fc.record({ does: fc.constant('resolve-invoice' as const), which: fc.nat(), yes: fc.boolean() }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ does: fc.constant('resolve-deposit' as const), which: fc.nat(), yes: fc.boolean() }),
  },
];

type Action = (typeof actions)[number]['arbitrary'] extends fc.Arbitrary<infer Each> ? Each : never;

export const randomInvoicing: RandomSimulation<Action, null> = {
  name: 'Invoicing',
  setup: fc.constant(null),
  actions,
  maxActions: 25,
  maxSteps: 40,
  start: async ({ seed, replicas }) => new InvoicingActor(new InvoicingSimulation(replicas, seededChoice(seed))),
};

class InvoicingActor implements RandomActor<Action> {
  readonly requests: RepeatableRequests<RequestInvoice, InvoiceAnswer>;
  /** Invoices that were reported as completed. */
  private readonly acknowledged: string[] = [];
  private decisions = 0;

  constructor(readonly simulation: InvoicingSimulation) {
    this.requests = new RepeatableRequests(simulation, 'invoicing');
  }

  async violations(): Promise<readonly string[]> {
    const { invoices } = await this.simulation.log();
    const wrongReplies = this.requests.entries.flatMap(({ command, reply }) => {
      if (reply?.ok !== true) return [];
      const { status, address, payAmount, depositAmount, expiresAt } = reply.answer;
      const { payment, terms } = invoices.get(command.data.invoiceId)!;
      const isRight =
        status === (payment === undefined ? 'failed' : 'pending') &&
        expiresAt === (payment === undefined ? null : terms.expiresAt) &&
        address === (payment?.address ?? null) &&
        payAmount === (payment?.payAmount ?? null) &&
        depositAmount === terms.depositAmount;
      return isRight ? [] : [`${command.data.invoiceId} got the reply ${JSON.stringify(reply.answer)}`];
    });
    const uncredited = this.acknowledged.filter((invoiceId) => invoices.get(invoiceId)?.phase !== 'completed');
    return [
      ...(await violationsIn(this.simulation)),
      ...wrongReplies,
      ...uncredited.map((invoiceId) => `the credit of ${invoiceId} was acknowledged and does not exist`),
    ];
  }

  async perform(action: Action, replica: number): Promise<void> {
    switch (action.does) {
      case 'request':
        return this.request(action.company, action.key, replica);
      case 'pay-sandbox':
        return this.paySandbox(action.which, replica);
      case 'transfer':
        return this.transfer(action.which, action.off, action.times);
      case 'block':
        return this.simulation.mine();
      case 'wait':
        return this.simulation.clock.advance(action.minutes * 60_000);
      case 'cancel':
        return this.cancel(action.which, replica);
      case 'resolve-invoice':
        return this.resolveInvoice(action.which, action.yes, replica);
      case 'resolve-deposit':
        return this.resolveDeposit(action.which, action.yes, replica);
    }
  }

  /** The same key requests the same invoice. */
  private request(company: number, key: number, replica: number): void {
    const environment = company === 0 ? 'sandbox' : 'live';
    const accountId = `company${company}-${environment}`;
    const ids = { invoiceId: `${accountId}-${key}`, companyId: `company${company}`, environment, accountId } as const;
    const command: RequestInvoice = {
      type: 'RequestInvoice',
      data: { ...ids, amount: `${10 + key}.00`, fingerprint: `f${key}` },
    };
    this.requests.send(accountId, command, replica);
  }

  private async paySandbox(which: number, replica: number): Promise<void> {
    const { invoices } = await this.simulation.log();
    const invoice = oneOf(
      [...invoices.values()].filter(({ terms }) => terms.environment === 'sandbox'),
      which,
    );
    if (invoice === undefined) return;
    const { accountId, invoiceId } = invoice.terms;
    this.send(accountId, { type: 'PaySandboxInvoice', data: { accountId, invoiceId } }, replica);
  }

  private async transfer(which: number, off: bigint, times: number): Promise<void> {
    const { invoices } = await this.simulation.log();
    const payable = [...invoices.values()].flatMap(({ payment, terms }) => {
      return payment === undefined || terms.environment === 'sandbox' ? [] : [payment];
    });
    const payment = oneOf(payable, which);
    if (payment === undefined) return;
    const transfer = { to: payment.address, amount: formatUsdt(parseUsdt(payment.payAmount) + off) };
    await this.simulation.mine(...Array.from({ length: times }, () => transfer));
  }

  /** Any invoice, so that cancellations race with payments, expiry and each other. */
  private async cancel(which: number, replica: number): Promise<void> {
    const { invoices } = await this.simulation.log();
    const invoice = oneOf([...invoices.values()], which);
    if (invoice === undefined) return;
    const { accountId, invoiceId } = invoice.terms;
    const canceledAt = this.simulation.clock.now().toISOString();
    const data = { accountId, invoiceId, requestId: this.nextDecision(), canceledAt };
    this.send(accountId, { type: 'CancelInvoice', data }, replica);
  }

  private async resolveInvoice(which: number, yes: boolean, replica: number): Promise<void> {
    const { invoices } = await this.simulation.log();
    const invoice = oneOf(
      [...invoices.values()].filter(({ phase }) => phase === 'review'),
      which,
    );
    if (invoice === undefined) return;
    const { accountId, invoiceId } = invoice.terms;
    const outcome = yes ? 'completed' : 'failed';
    const data = { accountId, invoiceId, outcome, note: 'Checked', requestId: this.nextDecision(), ...decidedByOne };
    this.send(accountId, { type: 'ResolveInvoice', data }, replica);
  }

  private async resolveDeposit(which: number, yes: boolean, replica: number): Promise<void> {
    const log = await this.simulation.log();
    const deposit = oneOf(log.openReviews(), which);
    const invoice = oneOf([...log.invoices.values()], which);
    if (deposit === undefined || invoice === undefined) return;
    const { accountId, invoiceId } = invoice.terms;
    const facts = yes ? { outcome: 'completed', accountId, invoiceId } : { outcome: 'failed' };
    const request = { requestId: this.nextDecision(), now: this.simulation.clock.now().toISOString() };
    const data = { ...deposit, ...facts, note: 'Checked', ...request, ...decidedByOne };
    void this.simulation
      .send('invoicing', deposit.address, { type: 'ResolveDeposit', data }, replica)
      .catch(() => undefined);
  }

  private nextDecision(): string {
    this.decisions += 1;
    return `decision ${this.decisions}`;
  }

  private send(accountId: string, command: { type: string; data: object }, replica: number): void {
    void this.simulation
      .send<CommandReply<InvoiceAnswer>>('invoicing', accountId, command, replica)
      .then((reply) => reply.ok && reply.answer.status === 'completed' && this.acknowledged.push(reply.answer.id))
      .catch(() => undefined);
  }
}

function oneOf<Each>(all: readonly Each[], which: number): Each | undefined {
  return all.length === 0 ? undefined : all[which % all.length];
}
