import { CLOCK, COMMAND_BUS, type CommandBus, type CommandReply, PeriodicTask } from '@florin/event-sourcing';
import type { AdvanceInvoice, CloseClaims } from '@florin/invoicing-domain';
import { type Clock, randomId } from '@florin/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { DUE_INVOICES, type DueInvoices } from './due-invoices.port';
import { INVOICING_OPTIONS, type InvoicingOptions } from './invoicing-options';

/** At one look; the longest-waiting come first, so nobody is forgotten. */
const mostAtOnce = 500;

/**
 * Looks every second for sandbox invoices whose time is over (live ones expire by the clock of the chain), and for any
 * that stand still because whoever drove them is gone.
 */
@Injectable()
export class InvoiceClock extends PeriodicTask {
  private readonly patienceMs: number;

  constructor(
    @Inject(DUE_INVOICES) private readonly due: DueInvoices,
    @Inject(COMMAND_BUS) private readonly bus: CommandBus,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(INVOICING_OPTIONS) private readonly options: InvoicingOptions,
  ) {
    const { everyMs = 1_000, patienceMs = 15_000 } = options.watchdog ?? {};
    super(everyMs);
    this.patienceMs = patienceMs;
  }

  override async tick(): Promise<void> {
    const { log } = this.options;
    try {
      const now = this.clock.now();
      const before = new Date(now.getTime() - this.patienceMs);
      const [expired, still] = await Promise.all([
        this.due.expiredBefore(now, mostAtOnce),
        this.due.notMovedSince(before, mostAtOnce),
      ]);
      if (still.length > 0) log.info({ count: still.length }, 'Moving invoices on that stand still');
      await Promise.all([
        ...expired.map((address) => this.close(address, now)),
        ...still.map((invoice) => this.send(invoice.accountId, { type: 'AdvanceInvoice', data: invoice })),
      ]);
    } catch (error) {
      log.warn({ err: error }, 'Could not look for invoices that are due; trying again');
    }
  }

  private close(address: string, now: Date): Promise<void> {
    return this.send(address, { type: 'CloseClaims', data: { address, readTo: now.toISOString() } });
  }

  private async send(key: string, command: CloseClaims | AdvanceInvoice): Promise<void> {
    const { log } = this.options;
    const id = randomId();
    const headers = { correlationId: id, causationId: id };
    try {
      const reply = await this.bus.request<CommandReply<unknown>>({ context: 'invoicing', key, id, command, headers });
      if (reply.ok) return;
      log.error({ command, refusal: reply.refusal }, 'An invoice cannot be moved on; look into it');
    } catch (error) {
      log.warn({ command, err: error }, 'An invoice could not be moved on; trying again');
    }
  }
}
