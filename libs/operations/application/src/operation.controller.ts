import { type CommandMessage, type CommandReply, patternOf } from '@florin/event-sourcing';
import {
  type AdvanceOperation,
  type BulkRequestRefusal,
  type CheckRefusal,
  type OperationAnswer,
  operationAnswer,
  type OperationCommand,
  operationCommandTypes,
  type OperationRefusal,
  type QueueOperation,
  type Quote,
  type QuoteOperation,
  type Order,
  type RequestOperation,
  type RequestOperations,
  type RequestRefusal,
} from '@florin/operations-domain';
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { AdmissionControl } from './admission-control';
import { AdvanceOperationHandler } from './advance-operation';
import { Operations, shortCacheMs } from './aggregates';
import { QuoteOperationHandler } from './quote-operation';
import { RequestOperationHandler } from './request-operation';
import { RequestOperationsHandler } from './request-operations';

const otherCommandTypes = operationCommandTypes.filter((type) => type !== 'QueueOperation');

@Controller()
export class OperationController {
  constructor(
    private readonly operations: Operations,
    private readonly requests: RequestOperationHandler,
    private readonly bulkRequests: RequestOperationsHandler,
    private readonly quotes: QuoteOperationHandler,
    private readonly advances: AdvanceOperationHandler,
    private readonly admission: AdmissionControl,
  ) {}

  @MessagePattern(patternOf('operations', 'RequestOperation'))
  request(@Payload() message: CommandMessage<RequestOperation>): Promise<CommandReply<Order, RequestRefusal>> {
    return this.admission.request(() => this.requests.execute(message.command, message));
  }

  @MessagePattern(patternOf('operations', 'RequestOperations'))
  requestAll(
    @Payload() message: CommandMessage<RequestOperations>,
  ): Promise<CommandReply<readonly CommandReply<Order, BulkRequestRefusal>[], 'unavailable'>> {
    return this.admission.bulkRequest(() => this.bulkRequests.execute(message.command, message));
  }

  @MessagePattern(patternOf('operations', 'QuoteOperation'))
  quote(@Payload() message: CommandMessage<QuoteOperation>): Promise<CommandReply<Quote, CheckRefusal>> {
    return this.quotes.execute(message.command, message);
  }

  @MessagePattern(patternOf('operations', 'AdvanceOperation'))
  advance(@Payload() message: CommandMessage<AdvanceOperation>): Promise<CommandReply> {
    return this.advances.execute(message.command, message);
  }

  @MessagePattern(patternOf('operations', 'QueueOperation'))
  queue(@Payload() message: CommandMessage<QueueOperation>): Promise<CommandReply> {
    return this.advances.queue(message.command, message);
  }

  @MessagePattern(otherCommandTypes.map((type) => patternOf('operations', type)))
  async handle(
    @Payload() message: CommandMessage<OperationCommand>,
  ): Promise<CommandReply<OperationAnswer, OperationRefusal>> {
    const { command, headers } = message;
    const { operationId } = command.data;
    const reply = await this.operations.handle(operationId, command, message);
    if (command.type !== 'ResolveReview' || !reply.ok) return reply;
    // The operator gets the final status, not an intermediate one.
    await this.advances.advance(operationId, headers);
    const answer = await this.operations.read(operationId, shortCacheMs, operationAnswer);
    return { ok: true, repeated: reply.repeated, answer };
  }
}
