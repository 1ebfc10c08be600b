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
import {
  type EndpointAnswer,
  endpointAnswer,
  type EndpointCommand,
  endpointCommandTypes,
  endpointDecider,
  type EndpointDirectory,
  type EndpointEvent,
  endpointEventVersions,
  type EndpointRefusal,
  SECRET_VAULT,
  type SecretVault,
} from '@florin/webhooks-domain';
import { Controller, Inject } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';

type Answer = EndpointAnswer | null;

/** Handles the commands of webhook endpoints. One stream stores all endpoints of an account. */
@Controller()
export class EndpointController {
  private readonly endpoints: CommandHandler<
    EndpointDirectory,
    EndpointCommand,
    EndpointEvent,
    EndpointRefusal,
    Answer
  >;

  constructor(
    @Inject(EVENT_STORE) store: EventStore,
    @Inject(CLOCK) clock: Clock,
    @Inject(SECRET_VAULT) private readonly vault: SecretVault,
  ) {
    this.endpoints = new CommandHandler({
      decider: endpointDecider,
      versions: endpointEventVersions,
      store,
      clock,
      answer: endpointAnswer,
    });
  }

  @MessagePattern(endpointCommandTypes.map((type) => patternOf('webhooks', type)))
  async handle(@Payload() message: CommandMessage<EndpointCommand>): Promise<CommandReply<Answer, EndpointRefusal>> {
    const { type, data } = message.command;
    const reply = await this.endpoints.handle(data.accountId, message.command, message);
    // A deleted endpoint receives nothing more, so its secrets are deleted. A repeated command does so after a crash.
    if (type === 'DeleteEndpoint' && reply.ok) await this.vault.destroy(data.endpointId);
    return reply;
  }
}
