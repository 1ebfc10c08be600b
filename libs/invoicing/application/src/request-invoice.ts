import { CLOCK, type CommandContext, type CommandReply } from '@florin/event-sourcing';
import {
  depositTerms,
  firstAnswer,
  type InvoiceAnswer,
  type InvoiceRefusal,
  type InvoiceTerms,
  type RequestInvoice,
} from '@florin/invoicing-domain';
import { type Clock, parseMoney, type Refusal, refuse } from '@florin/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { AdvanceInvoiceHandler } from './advance-invoice';
import { anyAgeMs, freshMs, Invoices } from './aggregates';
import { INVOICING_OPTIONS, type InvoicingOptions } from './invoicing-options';

/** A client asks for an invoice. It is answered once it can be paid, or is known that it never can. */
@Injectable()
export class RequestInvoiceHandler {
  constructor(
    @Inject(Invoices) private readonly invoices: Invoices,
    @Inject(AdvanceInvoiceHandler) private readonly advances: AdvanceInvoiceHandler,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(INVOICING_OPTIONS) private readonly options: InvoicingOptions,
  ) {}

  async execute(
    { data }: RequestInvoice,
    context: CommandContext,
  ): Promise<CommandReply<InvoiceAnswer, InvoiceRefusal>> {
    const { accountId, invoiceId } = data;
    const tooSmall = await this.checkMinimum(data);
    if (tooSmall !== undefined) return { ok: false, refusal: tooSmall };
    const opened = await this.invoices.handle(accountId, { type: 'OpenInvoice', data: this.termsOf(data) }, context);
    if (!opened.ok || opened.answer.status !== 'creating') return opened;

    // Whoever was first with this request may have been stopped here: then it goes on for both.
    const advanced = await this.advances.execute({ type: 'AdvanceInvoice', data: { accountId, invoiceId } }, context);
    if (!advanced.ok) throw new Error(`Invoice ${invoiceId} found no place to pay: ${advanced.refusal.message}`);
    const answer = await this.invoices.read(accountId, anyAgeMs, (state) => firstAnswer(state, invoiceId));
    return { ok: true, repeated: opened.repeated, answer };
  }

  /** The minimum may have been raised since: what was accepted once is not refused when it is repeated. */
  private async checkMinimum({
    accountId,
    invoiceId,
    amount,
  }: RequestInvoice['data']): Promise<Refusal<InvoiceRefusal> | undefined> {
    const { minimumAmount } = this.options;
    if (parseMoney(amount) >= parseMoney(minimumAmount)) return undefined;
    const isKnown = await this.invoices.read(accountId, freshMs, ({ invoices }) => invoices.has(invoiceId));
    if (isKnown) return undefined;
    return refuse(
      'amount_below_minimum',
      `The smallest amount of an invoice is ${minimumAmount}; ask for at least that`,
    );
  }

  private termsOf({
    invoiceId,
    companyId,
    environment,
    accountId,
    amount,
    fingerprint,
  }: RequestInvoice['data']): InvoiceTerms {
    const now = this.clock.now();
    return {
      invoiceId,
      companyId,
      environment,
      accountId,
      ...depositTerms(amount),
      expiresAt: new Date(now.getTime() + this.options.lifetimeMs).toISOString(),
      createdAt: now.toISOString(),
      fingerprint,
    };
  }
}
