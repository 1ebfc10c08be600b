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

const versions = { ...invoiceEventVersions, ...addressEventVersions };
const codec = eventCodec<InvoiceEvent | AddressEvent>(versions);

/** Advances every invoice after its events, also after a crash. */
export const invoicesProcess: Process = {
  name: 'invoices',
  categories: invoiceTriggerCategories,
  eventTypes: invoiceTriggers,
  knownEventTypes: Object.keys(versions),
  react: (recorded) => reactTo(codec.decode(recorded).event as InvoiceTrigger),
};
