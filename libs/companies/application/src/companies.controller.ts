import {
  apiKeyAggregate,
  type ApiKeyCommand,
  apiKeyCommandTypes,
  companyAggregate,
  type CompanyCommand,
  companyCommandTypes,
  operatorAggregate,
  type OperatorCommand,
  operatorCommandTypes,
  operatorDirectoryId,
} from '@florin/companies-domain';
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
import { type Clock, refuse } from '@florin/kernel';
import { Controller, Inject } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';

/** Companies, an operator's decisions about them, their API keys, and the operators themselves. */
@Controller()
export class CompaniesController {
  private readonly companies: CommandHandler<typeof companyAggregate>;
  private readonly keys: CommandHandler<typeof apiKeyAggregate>;
  private readonly operators: CommandHandler<typeof operatorAggregate>;

  constructor(
    @Inject(EVENT_STORE) private readonly store: EventStore,
    @Inject(SNAPSHOT_STORE) snapshots: SnapshotStore,
    @Inject(CLOCK) clock: Clock,
  ) {
    const options = { store, snapshots, clock };
    this.companies = new CommandHandler(companyAggregate, options);
    this.keys = new CommandHandler(apiKeyAggregate, options);
    this.operators = new CommandHandler(operatorAggregate, options);
  }

  @MessagePattern(companyCommandTypes.map((type) => patternOf('companies', type)))
  changeCompany(@Payload() message: CommandMessage<CompanyCommand>): Promise<ReplyOf<typeof companyAggregate>> {
    return this.companies.handle(message.command.data.companyId, message.command, message);
  }

  @MessagePattern(apiKeyCommandTypes.map((type) => patternOf('companies', type)))
  async changeKey(@Payload() message: CommandMessage<ApiKeyCommand>): Promise<ReplyOf<typeof apiKeyAggregate>> {
    const { command } = message;
    if (command.type === 'IssueApiKey' && !(await this.companyExists(command.data.companyId))) {
      const refusal = refuse('company_unknown', `There is no company ${command.data.companyId}`);
      return { ok: false, refusal };
    }
    return this.keys.handle(command.data.keyId, command, message);
  }

  @MessagePattern(operatorCommandTypes.map((type) => patternOf('companies', type)))
  changeOperator(@Payload() message: CommandMessage<OperatorCommand>): Promise<ReplyOf<typeof operatorAggregate>> {
    return this.operators.handle(operatorDirectoryId, message.command, message);
  }

  /**
   * A company never ceases to exist, so nothing can invalidate this check before the key is issued. No other command
   * for the key can overtake it either, because the key id becomes known only with the reply.
   */
  private async companyExists(companyId: string): Promise<boolean> {
    for await (const page of this.store.readStream(`${companyAggregate.category}-${companyId}`)) {
      if (page.length > 0) return true;
    }
    return false;
  }
}
