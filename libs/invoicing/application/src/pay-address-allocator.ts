import { CLOCK, type MessageHeaders } from '@florin/event-sourcing';
import {
  type ClaimPayAmount,
  inOrderOf,
  type InvoiceCommand,
  type InvoiceTerms,
  sandboxAddress,
} from '@florin/invoicing-domain';
import { assert, type Clock, randomId } from '@florin/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { Addresses } from './aggregates';
import { INVOICING_OPTIONS, type InvoicingOptions } from './invoicing-options';

/** How long after its end an invoice's amount stays its own, so that a late payment still tells whose it is. */
const watchMs = 7 * 24 * 60 * 60 * 1_000;

/** Finds the address and the exact amount that an invoice is paid with. */
@Injectable()
export class PayAddressAllocator {
  constructor(
    @Inject(Addresses) private readonly addresses: Addresses,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(INVOICING_OPTIONS) private readonly options: InvoicingOptions,
  ) {}

  /** What the invoice is to be told: where it is paid, or that it cannot be. Asked again, it finds the same place. */
  async find(terms: InvoiceTerms, headers: MessageHeaders): Promise<InvoiceCommand> {
    const { accountId, invoiceId, environment, expiresAt } = terms;
    const now = this.clock.now().toISOString();
    if (expiresAt <= now) return abandoned(terms, 'Its time was over before a place to pay was found');
    const places = environment === 'sandbox' ? [sandboxAddress(accountId)] : this.options.addresses;
    for (const address of inOrderOf(invoiceId, places)) {
      const command = claimAt(address, terms, now);
      const reply = await this.addresses.handle(address, command, { id: randomId(), headers });
      if (!reply.ok) continue;
      const { payAmount } = reply.answer;
      assert(payAmount !== undefined, () => `invoice ${invoiceId} was given no amount at ${address}`);
      return { type: 'IssueInvoice', data: { accountId, invoiceId, address, payAmount } };
    }
    return abandoned(terms, 'At no address an amount was free that could be told from those of other invoices');
  }
}

/** In the sandbox every payment is recorded when it is made, so that its clock is ours. */
function claimAt(address: string, terms: InvoiceTerms, now: string): ClaimPayAmount {
  const { invoiceId, accountId, environment, depositAmount, expiresAt } = terms;
  const watchedUntil = new Date(Date.parse(expiresAt) + watchMs).toISOString();
  const readTo = environment === 'sandbox' ? now : undefined;
  const claim = { invoiceId, accountId, claimedAt: now, expiresAt, watchedUntil };
  return { type: 'ClaimPayAmount', data: { address, ...claim, depositAmount, readTo } };
}

function abandoned({ accountId, invoiceId }: InvoiceTerms, reason: string): InvoiceCommand {
  return { type: 'AbandonInvoice', data: { accountId, invoiceId, reason } };
}
