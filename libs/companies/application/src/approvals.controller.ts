import {
  approvalAggregate,
  type ApprovalCommand,
  approvalCommandTypes,
  operatorAggregate,
  operatorDirectoryId,
  operatorEventVersions,
  OperatorRegister,
} from '@florin/companies-domain';
import {
  CLOCK,
  CommandHandler,
  type CommandMessage,
  eventCodec,
  EVENT_STORE,
  type EventStore,
  patternOf,
  type ReplyOf,
} from '@florin/event-sourcing';
import { assert, type Clock, isSameActor } from '@florin/kernel';
import { Controller, Inject } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';

const operatorCodec = eventCodec(operatorEventVersions);

/** Proposals and confirmations of decisions that take two operators. */
@Controller()
export class ApprovalsController {
  private readonly approvals: CommandHandler<typeof approvalAggregate>;

  constructor(
    @Inject(EVENT_STORE) private readonly store: EventStore,
    @Inject(CLOCK) clock: Clock,
  ) {
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
    if (command.type === 'WithdrawProposal') return this.approvals.handle(approvalId, command, message);
    const { type, data } = command;
    const checked = { type, data: { ...data, fourEyes: await this.readOperators() } };
    return this.approvals.handle(approvalId, checked, message);
  }

  /** There are few operators, and few decisions. */
  private async readOperators(): Promise<OperatorRegister> {
    const register = new OperatorRegister();
    for await (const page of this.store.readStream(`${operatorAggregate.category}-${operatorDirectoryId}`)) {
      for (const recorded of page) {
        const { event, metadata } = operatorCodec.decode(recorded);
        register.add(event, metadata.actor);
      }
    }
    return register;
  }
}
