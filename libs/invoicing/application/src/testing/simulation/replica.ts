import { CommandHandler, type CommandMessage } from '@florin/event-sourcing';
import { type Routes, routesOf, type SimulatedEnvironment, SimulatedReplica } from '@florin/event-sourcing/testing';
import {
  type AddressCommand,
  addressCommandTypes,
  evolveRemembering,
  invoiceAggregate,
  type InvoiceCommand,
  invoiceCommandTypes,
} from '@florin/invoicing-domain';
import type { Clock } from '@florin/kernel';
import { accountAggregate, type AccountCommand, accountCommandTypes } from '@florin/ledger-domain';
import { AddressController } from '../../address.controller';
import { AdvanceInvoiceHandler } from '../../advance-invoice';
import { Addresses, InvoiceHandler } from '../../aggregates';
import type { DueInvoices } from '../../due-invoices.port';
import { InvoiceClock } from '../../invoice-clock';
import { InvoiceController } from '../../invoice.controller';
import { invoicesProcess } from '../../invoices.process';
import type { InvoicingOptions } from '../../invoicing-options';
import { PaySandboxInvoiceHandler } from '../../pay-sandbox-invoice';
import { PayAddressAllocator } from '../../pay-address-allocator';
import { RequestInvoiceHandler } from '../../request-invoice';
import { ResolveDepositHandler } from '../../resolve-deposit';
import { SettleBlocksHandler } from '../../settle-blocks';
import { settlementProcess } from '../../settlement.process';

export interface ReplicaEnvironment extends SimulatedEnvironment {
  readonly clock: Clock;
  readonly due: DueInvoices;
  readonly options: InvoicingOptions;
}

/** Forgets invoices much earlier than the product, so that it often recalls them. */
const rememberingOneEnded = { ...invoiceAggregate, evolve: evolveRemembering(1) };

/** Invoicing and the ledger in one process. */
export class Replica extends SimulatedReplica {
  readonly invoiceClock: InvoiceClock;

  constructor(environment: ReplicaEnvironment) {
    super(environment);
    const { clock, options, due } = environment;
    this.handleCommands('ledger', ledger(environment));
    this.handleCommands('invoicing', this.invoicing(environment));
    this.invoiceClock = new InvoiceClock(due, this.bus, clock, options);
    for (const process of [invoicesProcess, settlementProcess]) this.runProcess(process, options.log);
  }

  private invoicing({ store, snapshots, clock, options }: ReplicaEnvironment): Routes {
    const invoices = new InvoiceHandler(rememberingOneEnded, { store, snapshots, clock });
    const addresses = new Addresses(store, snapshots, clock);
    const allocator = new PayAddressAllocator(addresses, clock, options);
    const advances = new AdvanceInvoiceHandler(invoices, allocator, this.bus);
    const requests = new RequestInvoiceHandler(invoices, advances, clock, options);
    const payments = new PaySandboxInvoiceHandler(invoices, addresses, advances, clock);
    const invoice = new InvoiceController(invoices, requests, payments, advances);
    const settlements = new SettleBlocksHandler(addresses, options);
    const resolutions = new ResolveDepositHandler(addresses, invoices, advances);
    const address = new AddressController(addresses, settlements, resolutions);
    return {
      RequestInvoice: (message) => invoice.request(message),
      PaySandboxInvoice: (message) => invoice.pay(message),
      AdvanceInvoice: (message) => invoice.advance(message),
      SettleBlocks: (message) => address.settle(message),
      ...routesOf(invoiceCommandTypes, (message: CommandMessage<InvoiceCommand>) => invoice.handle(message)),
      ...routesOf(addressCommandTypes, (message: CommandMessage<AddressCommand>) => address.handle(message)),
    };
  }
}

function ledger({ store, snapshots, clock }: ReplicaEnvironment): Routes {
  const accounts = new CommandHandler(accountAggregate, { store, snapshots, clock });
  return routesOf(accountCommandTypes, (message: CommandMessage<AccountCommand>) =>
    accounts.handle(message.command.data.accountId, message.command, message),
  );
}
