import { eventCodec, type Projection } from '@florin/event-sourcing';
import { invoiceAggregate, invoiceEventVersions } from '@florin/invoicing-domain';
import type { PoolClient } from 'pg';
import { applyInvoiceEvent, type InvoiceRows, saveInvoices } from './invoice-rows';

const codec = eventCodec(invoiceEventVersions);

/** One row per invoice, written once per batch. */
export const invoicesProjection: Projection<PoolClient> = {
  name: 'invoices',
  categories: [invoiceAggregate.category],
  project: async (events, tx) => {
    const rows: InvoiceRows = new Map();
    for (const recorded of events) {
      const { event, metadata } = codec.decode(recorded);
      applyInvoiceEvent(rows, event, recorded.revision, metadata.recordedAt, metadata.actor);
    }
    await saveInvoices(rows.values(), tx);
  },
};
