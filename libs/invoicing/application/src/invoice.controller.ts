import { type CommandMessage, type CommandReply, patternOf } from '@florin/event-sourcing';
import {
  type AdvanceInvoice,
  currentAnswer,
  type InvoiceAnswer,
  type InvoiceCommand,
  invoiceCommandTypes,
  type InvoiceRefusal,
  type PaySandboxInvoice,
  type RequestInvoice,
} from '@florin/invoicing-domain';
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { AdvanceInvoiceHandler } from './advance-invoice';
import { anyCacheAgeMs, Invoices } from './aggregates';
import { PaySandboxInvoiceHandler } from './pay-sandbox-invoice';
import { RequestInvoiceHandler } from './request-invoice';

type Reply = CommandReply<InvoiceAnswer, InvoiceRefusal>;

/** Handles the commands of invoices. */
@Controller()
export class InvoiceController {
  constructor(
    private readonly invoices: Invoices,
    private readonly requests: RequestInvoiceHandler,
    private readonly payments: PaySandboxInvoiceHandler,
    private readonly advances: AdvanceInvoiceHandler,
  ) {}

  @MessagePattern(patternOf('invoicing', 'RequestInvoice'))
  request(@Payload() message: CommandMessage<RequestInvoice>): Promise<Reply> {
    return this.requests.execute(message.command, message);
  }

  @MessagePattern(patternOf('invoicing', 'PaySandboxInvoice'))
  pay(@Payload() message: CommandMessage<PaySandboxInvoice>): Promise<Reply> {
    return this.payments.execute(message.command, message);
  }

  @MessagePattern(patternOf('invoicing', 'AdvanceInvoice'))
  advance(@Payload() message: CommandMessage<AdvanceInvoice>): Promise<CommandReply> {
    return this.advances.execute(message.command, message);
  }

  @MessagePattern(invoiceCommandTypes.map((type) => patternOf('invoicing', type)))
  async handle(@Payload() message: CommandMessage<InvoiceCommand>): Promise<Reply> {
    const { command } = message;
    const { accountId, invoiceId } = command.data;
    const reply = await this.invoices.handle(accountId, command, message);
    if (command.type !== 'ResolveInvoice' || !reply.ok) return reply;
    // Advance the invoice, so that the operator gets its final status.
    await this.advances.execute({ type: 'AdvanceInvoice', data: { accountId, invoiceId } }, message);
    const answer = await this.invoices.read(accountId, anyCacheAgeMs, (state) => currentAnswer(state, invoiceId));
    return { ok: true, repeated: reply.repeated, answer };
  }
}
