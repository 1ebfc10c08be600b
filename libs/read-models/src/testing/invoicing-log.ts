import { commandLog } from '@florin/event-sourcing/testing';
import { type AddressCommand, addressAggregate, type InvoiceCommand, invoiceAggregate } from '@florin/invoicing-domain';

export function invoicingLog() {
  const { clock, events, runner } = commandLog();
  return {
    clock,
    events,
    invoice: runner(invoiceAggregate, ({ data }: InvoiceCommand) => data.accountId),
    address: runner(addressAggregate, ({ data }: AddressCommand) => data.address),
  };
}

export type InvoicingLog = ReturnType<typeof invoicingLog>;
