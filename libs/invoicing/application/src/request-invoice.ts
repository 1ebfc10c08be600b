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
import { anyCacheAgeMs, noCacheMs, Invoices } from './aggregates';
import { INVOICING_OPTIONS, type InvoicingOptions } from './invoicing-options';

/** Creates an invoice. Replies once it can be paid or has failed. */
@Injectable()
export class RequestInvoiceHandler {
  constructor(
    private readonly invoices: Invoices,
    private readonly advances: AdvanceInvoiceHandler,
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

    // An earlier request may have been interrupted here, so a repeat continues.
    const advanced = await this.advances.execute({ type: 'AdvanceInvoice', data: { accountId, invoiceId } }, context);
    if (!advanced.ok) throw new Error(`Invoice ${invoiceId} has no pay address: ${advanced.refusal.message}`);
    const answer = await this.invoices.read(accountId, anyCacheAgeMs, (state) => firstAnswer(state, invoiceId));
    return { ok: true, repeated: opened.repeated, answer };
  }

  /** Does not refuse a repeat of an accepted request after the minimum was raised. */
  private async checkMinimum({
    accountId,
    invoiceId,
    amount,
  }: RequestInvoice['data']): Promise<Refusal<InvoiceRefusal> | undefined> {
    const { minimumAmount } = this.options;
    if (parseMoney(amount) >= parseMoney(minimumAmount)) return undefined;
    const isKnown = await this.invoices.read(accountId, noCacheMs, ({ invoices, forgotten }) => {
      return invoices.has(invoiceId) || forgotten.has(invoiceId);
    });
    if (isKnown) return undefined;
    return refuse('amount_below_minimum', `The minimum amount of an invoice is ${minimumAmount}`);
  }

  private termsOf(request: RequestInvoice['data']): InvoiceTerms {
    const { invoiceId, companyId, environment, accountId, amount, paymentUrl, metadata, fingerprint } = request;
    const now = this.clock.now();
    return {
      invoiceId,
      companyId,
      environment,
      accountId,
      ...depositTerms(amount),
      expiresAt: new Date(now.getTime() + this.options.lifetimeMs).toISOString(),
      createdAt: now.toISOString(),
      ...(paymentUrl !== undefined && { paymentUrl }),
      ...(metadata !== undefined && { metadata }),
      fingerprint,
    };
  }
}
