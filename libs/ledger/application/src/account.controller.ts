import {
  CLOCK,
  CommandHandler,
  type CommandMessage,
  type CommandReply,
  EVENT_STORE,
  type EventStore,
  patternOf,
  type ReplyOf,
  SNAPSHOT_STORE,
  type SnapshotStore,
} from '@florin/event-sourcing';
import type { Clock } from '@florin/kernel';
import {
  accountAggregate,
  type AccountCommand,
  accountCommandTypes,
  type CreateReservations,
  findReservation,
  type FindReservation,
  type FoundReservation,
  reservationsIn,
} from '@florin/ledger-domain';
import { Controller, Inject } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';

@Controller()
export class AccountController {
  private readonly accounts: CommandHandler<typeof accountAggregate>;

  constructor(
    @Inject(EVENT_STORE) store: EventStore,
    @Inject(SNAPSHOT_STORE) snapshots: SnapshotStore,
    @Inject(CLOCK) clock: Clock,
  ) {
    this.accounts = new CommandHandler(accountAggregate, { store, snapshots, clock });
  }

  @MessagePattern(accountCommandTypes.map((type) => patternOf('ledger', type)))
  handle(@Payload() message: CommandMessage<AccountCommand>): Promise<ReplyOf<typeof accountAggregate>> {
    return this.accounts.handle(message.command.data.accountId, message.command, message);
  }

  @MessagePattern(patternOf('ledger', 'CreateReservations'))
  async createAll(
    @Payload() message: CommandMessage<CreateReservations>,
  ): Promise<CommandReply<readonly ReplyOf<typeof accountAggregate>[], never>> {
    const { accountId } = message.command.data;
    const answer = await this.accounts.handleAll(accountId, reservationsIn(message.command), message);
    return { ok: true, repeated: false, answer };
  }

  @MessagePattern(patternOf('ledger', 'FindReservation'))
  async find(@Payload() { command }: CommandMessage<FindReservation>): Promise<CommandReply<FoundReservation, never>> {
    const { accountId, reservationId } = command.data;
    const answer = await this.accounts.read(accountId, 0, (state) => findReservation(state, reservationId));
    return { ok: true, repeated: false, answer };
  }
}
