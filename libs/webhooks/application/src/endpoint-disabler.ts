import { CLOCK, COMMAND_BUS, type CommandBus, type CommandReply } from '@florin/event-sourcing';
import { type Clock, randomId, serviceActor } from '@florin/kernel';
import type { DisableEndpoint, DisableReason } from '@florin/webhooks-domain';
import { Inject, Injectable } from '@nestjs/common';
import type { ClaimedDelivery, FailingEndpoint, AttemptRecord } from './delivery-queue.port';
import { WEBHOOKS_OPTIONS, type WebhooksOptions } from './webhooks-options';

const maxFailingMs = 5 * 24 * 60 * 60 * 1000;
/** 410 Gone: the endpoint wants no more events. */
export const goneStatus = 410;

/**
 * Disables endpoints that respond with 410 Gone or have acknowledged nothing for five days. If the command is lost, the next
 * failed attempt sends it again.
 */
@Injectable()
export class EndpointDisabler {
  private readonly pending = new Map<string, Promise<void>>();

  constructor(
    @Inject(COMMAND_BUS) private readonly bus: CommandBus,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(WEBHOOKS_OPTIONS) private readonly options: WebhooksOptions,
  ) {}

  disableFailing(records: readonly AttemptRecord[], failing: readonly FailingEndpoint[]): void {
    const before = this.clock.now().getTime() - maxFailingMs;
    const failed = new Set(
      failing.filter(({ since }) => since.getTime() <= before).map(({ endpointId }) => endpointId),
    );
    for (const { delivery, result } of records) {
      if (result.statusCode === goneStatus) this.disable(delivery, 'gone');
      else if (failed.has(delivery.endpointId)) this.disable(delivery, 'failing');
    }
  }

  async waitUntilIdle(): Promise<void> {
    await Promise.all(this.pending.values());
  }

  private disable({ accountId, endpointId }: ClaimedDelivery, reason: DisableReason): void {
    if (this.pending.has(endpointId)) return;
    const data = { accountId, endpointId, reason, now: this.clock.now().toISOString() };
    const sent = this.send({ type: 'DisableEndpoint', data }).finally(() => this.pending.delete(endpointId));
    this.pending.set(endpointId, sent);
  }

  private async send(command: DisableEndpoint): Promise<void> {
    const { log } = this.options;
    const { accountId, endpointId, reason } = command.data;
    const id = randomId();
    const headers = { correlationId: id, causationId: id, actor: serviceActor('webhook-dispatcher') };
    try {
      const reply = await this.bus.request<CommandReply>({ context: 'webhooks', key: accountId, id, command, headers });
      if (reply.ok) log.info({ endpointId, reason }, 'Disabled a webhook endpoint');
      else
        log.error(
          { endpointId, refusal: reply.refusal },
          'Disabling a webhook endpoint was rejected; check the refusal',
        );
    } catch (error) {
      log.warn({ endpointId, err: error }, 'Cannot disable a webhook endpoint; retrying after the next failed attempt');
    }
  }
}
