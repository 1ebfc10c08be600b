import { type CommandMessage, type CommandReply, patternOf } from '@florin/event-sourcing';
import type { CardRefusal, PaymentAnswer, RecordTransaction, TransactionRefusal } from '@florin/operations-domain';
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { RecordTransactionHandler } from './record-transaction';

/** Card payments as the issuer, or the sandbox, reports them. */
@Controller()
export class TransactionController {
  constructor(private readonly transactions: RecordTransactionHandler) {}

  @MessagePattern(patternOf('operations', 'RecordTransaction'))
  record(
    @Payload() message: CommandMessage<RecordTransaction>,
  ): Promise<CommandReply<PaymentAnswer, CardRefusal | TransactionRefusal>> {
    return this.transactions.execute(message.command, message);
  }
}
