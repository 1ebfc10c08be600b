import { approvalAggregate, type ApprovalCommand, approvalCommandTypes } from '@florin/companies-domain';
import {
  CLOCK,
  CommandHandler,
  type CommandMessage,
  EVENT_STORE,
  type EventStore,
  patternOf,
  type ReplyOf,
  SNAPSHOT_STORE,
  type SnapshotStore,
} from '@florin/event-sourcing';
import { assert, type Clock, isSameActor } from '@florin/kernel';
import { Controller, Inject } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { OperatorLog } from './operator-log';

/** Proposals and confirmations of decisions that take two operators. */
@Controller()
export class ApprovalsController {
  private readonly approvals: CommandHandler<typeof approvalAggregate>;
  private readonly operators: OperatorLog;

  constructor(
    @Inject(EVENT_STORE) store: EventStore,
    @Inject(SNAPSHOT_STORE) snapshots: SnapshotStore,
    @Inject(CLOCK) clock: Clock,
  ) {
    this.operators = new OperatorLog(store);
    this.approvals = new CommandHandler(approvalAggregate, { store, snapshots, clock });
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
    const checked = { type, data: { ...data, fourEyes: await this.operators.read() } };
    return this.approvals.handle(approvalId, checked, message);
  }
}
