import { DUE_INVOICES, InvoicingModule, invoicesProcess, settlementProcess } from '@florin/invoicing-application';
import { DueInvoicesQuery } from '@florin/read-models';
import type { ServicePart } from '../service-definition';

export const invoicingPart: ServicePart = {
  modules: (config, log) => [
    InvoicingModule.forRoot({
      addresses: config.TRON_ADDRESSES ?? [],
      lifetimeMs: config.INVOICE_LIFETIME_SECONDS * 1_000,
      minimumAmount: config.MINIMUM_INVOICE_AMOUNT,
      watchdog: { stalledAfterMs: config.STALLED_AFTER_SECONDS * 1_000 },
      log,
    }),
  ],
  ports: (_config, { pool }) => [{ provide: DUE_INVOICES, useValue: new DueInvoicesQuery(pool) }],
  processes: [invoicesProcess, settlementProcess],
  /** Unready while a live invoice can still be paid at an address that is not watched any more. */
  monitor: (_app, { config, platform, health }) => {
    const invoices = new DueInvoicesQuery(platform.pool);
    health.register('payment addresses', async () => {
      const unwatched = await invoices.awaitingElsewhere(config.TRON_ADDRESSES ?? []);
      if (unwatched.length === 0) return true;
      const addresses = [...new Set(unwatched.map(({ address }) => address))].join(', ');
      return `live invoices can still be paid at ${addresses}: keep these in TRON_ADDRESSES until the invoices are no longer watched`;
    });
  },
};
