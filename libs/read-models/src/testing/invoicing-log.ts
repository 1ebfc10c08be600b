import { commandLog } from '@florin/event-sourcing/testing';
import {
  type AddressCommand,
  addressDecider,
  addressEventVersions,
  type InvoiceCommand,
  invoiceDecider,
  invoiceEventVersions,
} from '@florin/invoicing-domain';

export function invoicingLog() {
  const { clock, events, runner } = commandLog();
  return {
    clock,
    events,
    invoice: runner(invoiceDecider, invoiceEventVersions, ({ data }: InvoiceCommand) => data.accountId),
    address: runner(addressDecider, addressEventVersions, ({ data }: AddressCommand) => data.address),
  };
}

export type InvoicingLog = ReturnType<typeof invoicingLog>;
