import { approvalAggregate, type ApprovalCommand, approvalCommandTypes } from '@florin/companies-domain';
import {
  CLOCK,
  CommandHandler,
  type CommandMessage,
  EVENT_STORE,
  type EventStore,
  patternOf,
  type ReplyOf,
} from '@florin/event-sourcing';
import { assert, type Clock, isSameActor } from '@florin/kernel';
import { Controller, Inject } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';

/** Proposals and confirmations of decisions that take two operators. */
@Controller()
export class ApprovalsController {
  private readonly approvals: CommandHandler<typeof approvalAggregate>;

  constructor(@Inject(EVENT_STORE) store: EventStore, @Inject(CLOCK) clock: Clock) {
    this.approvals = new CommandHandler(approvalAggregate, { store, clock });
  }

  @MessagePattern(approvalCommandTypes.map((type) => patternOf('companies', type)))
  async change(@Payload() message: CommandMessage<ApprovalCommand>): Promise<ReplyOf<typeof approvalAggregate>> {
    const { command, headers } = message;
    const { approvalId, operator } = command.data;
    // An operator decides only in the own name.
    assert(
      isSameActor(operator, headers.actor),
      () => `${command.type} names ${operator.id} and is by ${headers.actor.id}`,
    );
    return this.approvals.handle(approvalId, command, message);
  }
}
