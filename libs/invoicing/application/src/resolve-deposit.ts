import type { CommandContext, CommandReply } from '@florin/event-sourcing';
import {
  type AddressAnswer,
  type AddressRefusal,
  type InvoiceRefusal,
  isAttributable,
  refuseUndecided,
  type ResolveDeposit,
  settlementBy,
  statusOf,
} from '@florin/invoicing-domain';
import { decisionIn, randomId, type Refusal, refuse } from '@florin/kernel';
import { Injectable } from '@nestjs/common';
import { AdvanceInvoiceHandler } from './advance-invoice';
import { Addresses, anyCacheAgeMs, noCacheMs, Invoices } from './aggregates';

type Reply = CommandReply<AddressAnswer, AddressRefusal | InvoiceRefusal>;

/** Executes the decision of an operator about a deposit. Replies after the invoice is credited. */
@Injectable()
export class ResolveDepositHandler {
  constructor(
    private readonly addresses: Addresses,
    private readonly invoices: Invoices,
    private readonly advances: AdvanceInvoiceHandler,
  ) {}

  async execute(command: ResolveDeposit, context: CommandContext): Promise<Reply> {
    const { address, depositId, outcome, accountId, invoiceId, note, requestId } = command.data;
    const refusal = await this.checkInvoice(command);
    if (refusal !== undefined) return { ok: false, refusal };
    const resolved = await this.addresses.handle(address, command, context);
    if (!resolved.ok || outcome === 'failed' || accountId === undefined || invoiceId === undefined) return resolved;

    const { headers } = context;
    const settlement = await this.addresses.read(address, anyCacheAgeMs, ({ reviews }) => {
      const review = reviews.get(depositId);
      return review && settlementBy(review.deposit);
    });
    const deposit = { address, depositId, settlement };
    const data = { accountId, invoiceId, ...deposit, note, requestId, ...decisionIn(command.data) };
    const attribute = { type: 'AttributeDeposit', data } as const;
    const attributed = await this.invoices.handle(accountId, attribute, { id: randomId(), headers });
    if (!attributed.ok) return attributed;
    const advanced = await this.advances.execute({ type: 'AdvanceInvoice', data: { accountId, invoiceId } }, context);
    if (!advanced.ok) throw new Error(`Invoice ${invoiceId} was not credited: ${advanced.refusal.message}`);
    return resolved;
  }

  /**
   * Refuses a decision that cannot be executed before it is stored. If the invoice ends at the same moment, the deposit
   * returns to review. A repeated decision is not checked again.
   */
  private async checkInvoice({ data }: ResolveDeposit): Promise<Refusal<InvoiceRefusal> | undefined> {
    const { address, depositId, accountId, invoiceId } = data;
    if (accountId === undefined || invoiceId === undefined) return undefined;
    const isOpen = await this.addresses.read(address, noCacheMs, ({ reviews }) => {
      const review = reviews.get(depositId);
      return review !== undefined && review.resolution === undefined;
    });
    if (!isOpen) return undefined;
    return this.invoices.readInvoice(accountId, invoiceId, (invoice) => {
      if (invoice === undefined) return refuse('not_found', `There is no invoice ${invoiceId}`);
      if (isAttributable(invoice)) return refuseUndecided(invoice, data);
      const why = 'a deposit can only be attributed to a pending or expired invoice';
      return refuse('wrong_status', `Invoice ${invoiceId} is ${statusOf(invoice)}: ${why}`);
    });
  }
}
