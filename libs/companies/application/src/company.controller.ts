import { companyAggregate, type CompanyCommand, companyCommandTypes } from '@florin/companies-domain';
import {
  CLOCK,
  CommandHandler,
  type CommandMessage,
  EVENT_STORE,
  type EventStore,
  patternOf,
  type ReplyOf,
} from '@florin/event-sourcing';
import type { Clock } from '@florin/kernel';
import { Controller, Inject } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';

/** Registers companies and records an operator's decisions about them. */
@Controller()
export class CompanyController {
  private readonly companies: CommandHandler<typeof companyAggregate>;

  constructor(@Inject(EVENT_STORE) store: EventStore, @Inject(CLOCK) clock: Clock) {
    this.companies = new CommandHandler(companyAggregate, { store, clock });
  }

  @MessagePattern(companyCommandTypes.map((type) => patternOf('companies', type)))
  handle(@Payload() message: CommandMessage<CompanyCommand>): Promise<ReplyOf<typeof companyAggregate>> {
    return this.companies.handle(message.command.data.companyId, message.command, message);
  }
}
