import { CLOCK, type CommandContext, type CommandReply } from '@florin/event-sourcing';
import {
  currentAnswer,
  type InvoiceAnswer,
  type InvoiceRefusal,
  type PaySandboxInvoice,
  sandboxDeposit,
  settlementBy,
} from '@florin/invoicing-domain';
import { assert, type Clock, randomId, refuse } from '@florin/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { AdvanceInvoiceHandler } from './advance-invoice';
import { Addresses, anyCacheAgeMs, noCacheMs, Invoices } from './aggregates';

type Reply = CommandReply<InvoiceAnswer, InvoiceRefusal>;

/** Simulates the payment of a sandbox invoice and credits it like a real one before it replies. */
@Injectable()
export class PaySandboxInvoiceHandler {
  constructor(
    private readonly invoices: Invoices,
    private readonly addresses: Addresses,
    private readonly advances: AdvanceInvoiceHandler,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ data }: PaySandboxInvoice, context: CommandContext): Promise<Reply> {
    const { accountId, invoiceId } = data;
    const known = await this.invoices.read(accountId, noCacheMs, (state) => {
      const invoice = state.invoices.get(invoiceId);
      if (state.forgotten.has(invoiceId)) return 'ended';
      return invoice && { phase: invoice.phase, answer: currentAnswer(state, invoiceId) };
    });
    // Not recalled: clients could cause that. The gateway replies for completed invoices.
    if (known === 'ended') return refused('wrong_status', `Invoice ${invoiceId} has ended. Request a new one`);
    if (known === undefined) return refused('not_found', `There is no invoice ${invoiceId}`);
    const { phase, answer } = known;
    assert(answer.environment === 'sandbox', () => `invoice ${invoiceId} is a sandbox invoice`);
    if (answer.status === 'completed') return { ok: true, repeated: true, answer };
    if (phase !== 'paid') {
      const unpaid = await this.pay(accountId, answer, context);
      if (unpaid !== undefined) return unpaid;
    }
    const advanced = await this.advances.execute({ type: 'AdvanceInvoice', data: { accountId, invoiceId } }, context);
    if (!advanced.ok) throw new Error(`Invoice ${invoiceId} was not credited: ${advanced.refusal.message}`);
    const paid = await this.invoices.read(accountId, anyCacheAgeMs, (state) => currentAnswer(state, invoiceId));
    return { ok: true, repeated: false, answer: paid };
  }

  /** Records the payment at the address and on the invoice. Returns the refusal if it cannot be paid. */
  private async pay(
    accountId: string,
    invoice: InvoiceAnswer,
    { headers }: CommandContext,
  ): Promise<Reply | undefined> {
    const { id: invoiceId, status, address, payAmount, expiresAt } = invoice;
    const now = this.clock.now();
    if (status !== 'pending' || address === null || payAmount === null || expiresAt === null) {
      return refused('wrong_status', `Invoice ${invoiceId} is ${status}: only a pending invoice can be paid`);
    }
    if (expiresAt <= now.toISOString()) {
      return refused('wrong_status', `Invoice ${invoiceId} expired at ${expiresAt}. Request a new one`);
    }
    const deposit = sandboxDeposit(invoiceId, payAmount, now);
    const record = { type: 'RecordDeposit', data: { address, deposit } } as const;
    const recorded = await this.addresses.handle(address, record, { id: randomId(), headers });
    const payment = recorded.ok ? recorded.answer.payment : undefined;
    assert(payment?.invoiceId === invoiceId, () => `the payment of sandbox invoice ${invoiceId} matches it`);
    const { depositId } = deposit;
    const paid = {
      type: 'RecordPayment',
      data: { accountId, invoiceId, address, depositId, late: payment.late, settlement: settlementBy(deposit) },
    } as const;
    const reply = await this.invoices.handle(accountId, paid, { id: randomId(), headers });
    return reply.ok ? undefined : reply;
  }
}

function refused(code: InvoiceRefusal, message: string): Reply {
  return { ok: false, refusal: refuse(code, message) };
}
