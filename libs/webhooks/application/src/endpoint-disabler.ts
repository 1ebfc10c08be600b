import { CLOCK, COMMAND_BUS, type CommandBus, type CommandReply } from '@florin/event-sourcing';
import { type Clock, randomId } from '@florin/kernel';
import type { DisableEndpoint, DisableReason } from '@florin/webhooks-domain';
import { Inject, Injectable } from '@nestjs/common';
import type { ClaimedDelivery, FailingEndpoint, Settlement } from './delivery-queue.port';
import { WEBHOOKS_OPTIONS, type WebhooksOptions } from './webhooks-options';

const patienceMs = 5 * 24 * 60 * 60 * 1000;
/** The status with which a receiver says that it is no more. */
export const gone = 410;

/**
 * Has endpoints disabled that say they are gone, and those that have acknowledged nothing for five days. A command that
 * gets lost is not missed: the next attempt that fails asks for the same.
 */
@Injectable()
export class EndpointDisabler {
  private readonly asking = new Map<string, Promise<void>>();

  constructor(
    @Inject(COMMAND_BUS) private readonly bus: CommandBus,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(WEBHOOKS_OPTIONS) private readonly options: WebhooksOptions,
  ) {}

  judge(settled: readonly Settlement[], failing: readonly FailingEndpoint[]): void {
    const before = this.clock.now().getTime() - patienceMs;
    const failed = new Set(
      failing.filter(({ since }) => since.getTime() <= before).map(({ endpointId }) => endpointId),
    );
    for (const { delivery, result } of settled) {
      if (result.statusCode === gone) this.disable(delivery, 'gone');
      else if (failed.has(delivery.endpointId)) this.disable(delivery, 'failing');
    }
  }

  async untilIdle(): Promise<void> {
    await Promise.all(this.asking.values());
  }

  private disable({ accountId, endpointId }: ClaimedDelivery, reason: DisableReason): void {
    if (this.asking.has(endpointId)) return;
    const data = { accountId, endpointId, reason, now: this.clock.now().toISOString() };
    const asked = this.ask({ type: 'DisableEndpoint', data }).finally(() => this.asking.delete(endpointId));
    this.asking.set(endpointId, asked);
  }

  private async ask(command: DisableEndpoint): Promise<void> {
    const { log } = this.options;
    const { accountId, endpointId, reason } = command.data;
    const id = randomId();
    const headers = { correlationId: id, causationId: id };
    try {
      const reply = await this.bus.request<CommandReply>({ context: 'webhooks', key: accountId, id, command, headers });
      if (reply.ok) log.info({ endpointId, reason }, 'A webhook endpoint is disabled');
      else log.error({ endpointId, refusal: reply.refusal }, 'A webhook endpoint cannot be disabled; look into it');
    } catch (error) {
      log.warn({ endpointId, err: error }, 'A webhook endpoint could not be disabled; the next failure asks again');
    }
  }
}
