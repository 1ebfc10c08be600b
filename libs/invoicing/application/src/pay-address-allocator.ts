import { CLOCK, type MessageHeaders } from '@florin/event-sourcing';
import {
  type ClaimPayAmount,
  distinctAmounts,
  rotatedAddresses,
  type InvoiceCommand,
  type InvoiceTerms,
  sandboxAddress,
} from '@florin/invoicing-domain';
import { assert, type Clock, randomId } from '@florin/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { randomInt } from 'node:crypto';
import { Addresses } from './aggregates';
import { INVOICING_OPTIONS, type InvoicingOptions } from './invoicing-options';

/** How long the amount of an expired invoice stays reserved, so that a late payment can be matched. */
const watchMs = 7 * 24 * 60 * 60 * 1_000;

/** Allocates the address and the exact amount of an invoice. */
@Injectable()
export class PayAddressAllocator {
  constructor(
    private readonly addresses: Addresses,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(INVOICING_OPTIONS) private readonly options: InvoicingOptions,
  ) {}

  /** Returns the command to issue or to abandon the invoice. A repeated call returns the same address and amount. */
  async allocate(terms: InvoiceTerms, headers: MessageHeaders): Promise<InvoiceCommand> {
    const { accountId, invoiceId, environment, expiresAt } = terms;
    const now = this.clock.now().toISOString();
    if (expiresAt <= now) return abandoned(terms, 'It expired before a pay address was allocated');
    const candidates = environment === 'sandbox' ? [sandboxAddress(accountId)] : this.options.addresses;
    for (const address of rotatedAddresses(invoiceId, candidates)) {
      const command = claimAt(address, terms, now);
      const reply = await this.addresses.handle(address, command, { id: randomId(), headers });
      if (!reply.ok) continue;
      const { payAmount } = reply.answer;
      assert(payAmount !== undefined, () => `invoice ${invoiceId} has an amount at ${address}`);
      return { type: 'IssueInvoice', data: { accountId, invoiceId, address, payAmount } };
    }
    return abandoned(terms, 'No address has a free amount that is distinct from other invoices');
  }
}

/** Sandbox payments are recorded immediately, so the system clock is their chain time. */
function claimAt(address: string, terms: InvoiceTerms, now: string): ClaimPayAmount {
  const { invoiceId, accountId, environment, depositAmount, expiresAt } = terms;
  const watchedUntil = new Date(Date.parse(expiresAt) + watchMs).toISOString();
  const readTo = environment === 'sandbox' ? now : undefined;
  const claim = { invoiceId, accountId, claimedAt: now, expiresAt, watchedUntil };
  return {
    type: 'ClaimPayAmount',
    data: { address, ...claim, depositAmount, draw: randomInt(distinctAmounts), readTo },
  };
}

function abandoned({ accountId, invoiceId }: InvoiceTerms, reason: string): InvoiceCommand {
  return { type: 'AbandonInvoice', data: { accountId, invoiceId, reason } };
}
