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
    @Inject(SNAPSHOT_STORE) snapshots: SnapshotStore,
    @Inject(CLOCK) clock: Clock,
    @Inject(SECRET_VAULT) private readonly vault: SecretVault,
  ) {
    this.endpoints = new CommandHandler(endpointAggregate, { store, snapshots, clock });
  }

  @MessagePattern(endpointCommandTypes.map((type) => patternOf('webhooks', type)))
  async handle(@Payload() message: CommandMessage<EndpointCommand>): Promise<ReplyOf<typeof endpointAggregate>> {
    const reply = await this.endpoints.handle(message.command.data.accountId, message.command, message);
    // A repeated command does so after a crash.
    if (reply.ok) await this.deleteUnused(message.command);
    // The secret of a conflicting request belongs to the original one.
    else if (reply.refusal.refused !== 'idempotency_conflict') await this.deleteRefused(message.command);
    return reply;
  }

  /** A deleted endpoint receives nothing more, and old secrets sign nothing. */
  private async deleteUnused({ type, data }: EndpointCommand): Promise<void> {
    if (type === 'DeleteEndpoint') await this.vault.destroy(data.endpointId);
    if (type === 'RotateEndpointSecret') await this.vault.destroyOld(data.endpointId);
  }

  /** The secret was stored before the command, so that no endpoint exists without one. */
  private async deleteRefused({ type, data }: EndpointCommand): Promise<void> {
    if (type !== 'RegisterEndpoint' && type !== 'RotateEndpointSecret') return;
    await this.vault.discard(data.endpointId, data.secretId);
  }
}
