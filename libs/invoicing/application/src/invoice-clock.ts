import { CLOCK, COMMAND_BUS, type CommandBus, type CommandReply, PeriodicTask } from '@florin/event-sourcing';
import type { AdvanceInvoice, CloseClaims } from '@florin/invoicing-domain';
import { type Clock, randomId, serviceActor } from '@florin/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { DUE_INVOICES, type DueInvoices } from './due-invoices.port';
import { INVOICING_OPTIONS, type InvoicingOptions } from './invoicing-options';

/** Per tick. The longest-waiting invoices come first. */
const maxPerTick = 500;

/**
 * Every second, expires sandbox invoices (live ones expire by block times) and advances invoices that are stalled because
 * their process crashed.
 */
@Injectable()
export class InvoiceClock extends PeriodicTask {
  private readonly stalledAfterMs: number;

  constructor(
    @Inject(DUE_INVOICES) private readonly due: DueInvoices,
    @Inject(COMMAND_BUS) private readonly bus: CommandBus,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(INVOICING_OPTIONS) private readonly options: InvoicingOptions,
  ) {
    const { everyMs = 1_000, stalledAfterMs = 15_000 } = options.watchdog ?? {};
    super(everyMs);
    this.stalledAfterMs = stalledAfterMs;
  }

  override async tick(): Promise<void> {
    const { log } = this.options;
    try {
      const now = this.clock.now();
      const before = new Date(now.getTime() - this.stalledAfterMs);
      const [expired, stalled] = await Promise.all([
        this.due.expiredBefore(now, maxPerTick),
        this.due.unchangedSince(before, maxPerTick),
      ]);
      if (stalled.length > 0) log.info({ count: stalled.length }, 'Advancing stalled invoices');
      await Promise.all([
        ...expired.map((address) => this.close(address, now)),
        ...stalled.map((invoice) => this.send(invoice.accountId, { type: 'AdvanceInvoice', data: invoice })),
      ]);
    } catch (error) {
      log.warn({ err: error }, 'Cannot read due invoices; retrying');
    }
  }

  private close(address: string, now: Date): Promise<void> {
    return this.send(address, { type: 'CloseClaims', data: { address, readTo: now.toISOString() } });
  }

  private async send(key: string, command: CloseClaims | AdvanceInvoice): Promise<void> {
    const { log } = this.options;
    const id = randomId();
    const headers = { correlationId: id, causationId: id, actor: serviceActor('invoicing') };
    try {
      const reply = await this.bus.request<CommandReply<unknown>>({ context: 'invoicing', key, id, command, headers });
      if (reply.ok) return;
      log.error({ command, refusal: reply.refusal }, 'Advancing an invoice was rejected; check the refusal');
    } catch (error) {
      log.warn({ command, err: error }, 'Cannot advance an invoice; retrying');
    }
  }
}
