import {
  COMMAND_BUS,
  type CommandBus,
  type CommandContext,
  type CommandReply,
  type MessageHeaders,
} from '@florin/event-sourcing';
import { type AdvanceInvoice, type CreditStep, type InvoiceCommand, nextStep } from '@florin/invoicing-domain';
import { randomId } from '@florin/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { anyCacheAgeMs, noCacheMs, Invoices } from './aggregates';
import { PayAddressAllocator } from './pay-address-allocator';

/** Executes the next step of an invoice. Safe to call at any time and repeatedly. */
@Injectable()
export class AdvanceInvoiceHandler {
  constructor(
    private readonly invoices: Invoices,
    private readonly allocator: PayAddressAllocator,
    @Inject(COMMAND_BUS) private readonly bus: CommandBus,
  ) {}

  /**
   * Uses the cached state first, because a step from an outdated state does no harm. Only if that has no next step, reads the
   * stored events.
   */
  async execute({ data }: AdvanceInvoice, { headers }: Pick<CommandContext, 'headers'>): Promise<CommandReply> {
    const moved = (await this.take(data, anyCacheAgeMs, headers)) ?? (await this.take(data, noCacheMs, headers));
    if (moved === undefined) return { ok: true, repeated: true, answer: null };
    return moved.ok ? { ...moved, answer: null } : moved;
  }

  private async take(
    { accountId, invoiceId }: AdvanceInvoice['data'],
    maxAgeMs: number,
    headers: MessageHeaders,
  ): Promise<CommandReply<unknown> | undefined> {
    const { step, terms } = await this.invoices.read(accountId, maxAgeMs, ({ invoices }) => {
      const invoice = invoices.get(invoiceId);
      return { step: nextStep(invoice), terms: invoice?.terms };
    });
    if (step === undefined || terms === undefined) return undefined;
    const command =
      step === 'allocate-address' ? await this.allocator.allocate(terms, headers) : await this.credit(step, headers);
    return this.invoices.handle(accountId, command, { id: randomId(), headers });
  }

  private async credit({ credit, then }: CreditStep, headers: MessageHeaders): Promise<InvoiceCommand> {
    const message = { context: 'ledger', key: credit.data.accountId, id: randomId(), command: credit, headers };
    const reply = await this.bus.request<CommandReply<unknown>>(message);
    return then(reply.ok ? undefined : reply.refusal);
  }
}
