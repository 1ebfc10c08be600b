import { type DynamicModule, Module } from '@nestjs/common';
import { AddressController } from './address.controller';
import { AdvanceInvoiceHandler } from './advance-invoice';
import { Addresses, Invoices } from './aggregates';
import { InvoiceClock } from './invoice-clock';
import { InvoiceController } from './invoice.controller';
import { INVOICING_OPTIONS, type InvoicingOptions } from './invoicing-options';
import { PaySandboxInvoiceHandler } from './pay-sandbox-invoice';
import { PayAddressAllocator } from './pay-address-allocator';
import { RequestInvoiceHandler } from './request-invoice';
import { ResolveDepositHandler } from './resolve-deposit';
import { SettleBlocksHandler } from './settle-blocks';

const aggregates = [Invoices, Addresses];
const useCases = [
  RequestInvoiceHandler,
  AdvanceInvoiceHandler,
  PaySandboxInvoiceHandler,
  SettleBlocksHandler,
  ResolveDepositHandler,
];

/**
 * The composition provides EVENT_STORE, COMMAND_BUS, CLOCK and DUE_INVOICES globally, and runs `invoicesProcess` and
 * `settlementProcess`. The clock starts and stops with the application.
 */
@Module({})
export class InvoicingModule {
  static forRoot(options: InvoicingOptions): DynamicModule {
    const parts = [PayAddressAllocator, InvoiceClock];
    return {
      module: InvoicingModule,
      controllers: [InvoiceController, AddressController],
      providers: [{ provide: INVOICING_OPTIONS, useValue: options }, ...aggregates, ...useCases, ...parts],
      exports: [InvoiceClock],
    };
  }
}
