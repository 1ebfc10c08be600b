import {
  DUE_INVOICES,
  InvoicingModule,
  type InvoicingOptions,
  invoicesProcess,
  settlementProcess,
} from '@florin/invoicing-application';
import { DueInvoicesQuery, InvoiceQueries } from '@florin/read-models';
import type { Config } from '../config';
import type { Log } from '../log';
import type { ServicePart } from '../service-definition';

export const invoicingPart: ServicePart = {
  modules: (config, log) => [InvoicingModule.forRoot(invoicingOptions(config, log))],
  ports: (_config, { pool }) => [{ provide: DUE_INVOICES, useValue: new DueInvoicesQuery(pool) }],
  processes: [invoicesProcess, settlementProcess],
  /** Shows whether anybody waits for a payment where nobody looks. */
  watch: (_app, { config, platform, health }) => {
    const invoices = new InvoiceQueries(platform.pool, platform.readYourWrites);
    health.register('payment addresses', async () => {
      const lost = await invoices.awaitingElsewhere(config.TRON_ADDRESSES ?? []);
      if (lost.length === 0) return true;
      const addresses = [...new Set(lost.map(({ address }) => address))].join(', ');
      return `live invoices can still be paid at ${addresses}: name these in TRON_ADDRESSES again until their watch is over`;
    });
  },
};

function invoicingOptions(config: Config, log: Log): InvoicingOptions {
  return {
    addresses: config.TRON_ADDRESSES ?? [],
    lifetimeMs: config.INVOICE_LIFETIME_SECONDS * 1_000,
    minimumAmount: config.MINIMUM_INVOICE_AMOUNT,
    log,
  };
}
