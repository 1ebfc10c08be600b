import { eventCodec, type Process } from '@florin/event-sourcing';
import {
  type AddressEvent,
  addressEventVersions,
  type InvoiceEvent,
  invoiceEventVersions,
  type InvoiceTrigger,
  invoiceTriggerCategories,
  invoiceTriggers,
  reactTo,
} from '@florin/invoicing-domain';

const codec = eventCodec<InvoiceEvent | AddressEvent>({ ...invoiceEventVersions, ...addressEventVersions });

/** Advances every invoice after its events, also after a crash. */
export const invoicesProcess: Process = {
  name: 'invoices',
  categories: invoiceTriggerCategories,
  eventTypes: invoiceTriggers,
  react: (recorded) => reactTo(codec.decode(recorded).event as InvoiceTrigger),
};
