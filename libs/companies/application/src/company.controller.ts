import {
  type CompanyAnswer,
  companyAnswer,
  type CompanyCommand,
  companyCommandTypes,
  companyDecider,
  type CompanyEvent,
  companyEventVersions,
  type CompanyRefusal,
  type CompanyState,
} from '@florin/companies-domain';
import {
  CLOCK,
  CommandHandler,
  type CommandMessage,
  type CommandReply,
  EVENT_STORE,
  type EventStore,
  patternOf,
} from '@florin/event-sourcing';
import type { Clock } from '@florin/kernel';
import { Controller, Inject } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';

/** Registers companies and keeps what an operator decides about them. */
@Controller()
export class CompanyController {
  private readonly companies: CommandHandler<CompanyState, CompanyCommand, CompanyEvent, CompanyRefusal, CompanyAnswer>;

  constructor(@Inject(EVENT_STORE) store: EventStore, @Inject(CLOCK) clock: Clock) {
    this.companies = new CommandHandler({
      decider: companyDecider,
      versions: companyEventVersions,
      store,
      clock,
      answer: companyAnswer,
    });
  }

  @MessagePattern(companyCommandTypes.map((type) => patternOf('companies', type)))
  handle(@Payload() message: CommandMessage<CompanyCommand>): Promise<CommandReply<CompanyAnswer, CompanyRefusal>> {
    return this.companies.handle(message.command.data.companyId, message.command, message);
  }
}
