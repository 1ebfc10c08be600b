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
import {
  endpointAggregate,
  type EndpointCommand,
  endpointCommandTypes,
  SECRET_VAULT,
  type SecretVault,
} from '@florin/webhooks-domain';
import { Controller, Inject } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';

/** Handles the commands of webhook endpoints. One stream stores all endpoints of an account. */
@Controller()
export class EndpointController {
  private readonly endpoints: CommandHandler<typeof endpointAggregate>;

  constructor(
    @Inject(EVENT_STORE) store: EventStore,
    @Inject(CLOCK) clock: Clock,
    @Inject(SECRET_VAULT) private readonly vault: SecretVault,
  ) {
    this.endpoints = new CommandHandler(endpointAggregate, { store, clock });
  }

  @MessagePattern(endpointCommandTypes.map((type) => patternOf('webhooks', type)))
  async handle(@Payload() message: CommandMessage<EndpointCommand>): Promise<ReplyOf<typeof endpointAggregate>> {
    const { type, data } = message.command;
    const reply = await this.endpoints.handle(data.accountId, message.command, message);
    // A deleted endpoint receives nothing more, so its secrets are deleted. A repeated command does so after a crash.
    if (type === 'DeleteEndpoint' && reply.ok) await this.vault.destroy(data.endpointId);
    return reply;
  }
}
