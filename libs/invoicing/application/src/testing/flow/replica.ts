import { type CommandBus, CommandHandler, type CommandMessage, type RunningSubscription } from '@florin/event-sourcing';
import {
  type Routes,
  routesOf,
  runInTurns,
  turnBasedBus,
  type TurnBasedOutside,
  type TurnBasedReplica,
} from '@florin/event-sourcing/testing';
import {
  type AddressCommand,
  addressCommandTypes,
  type InvoiceCommand,
  invoiceCommandTypes,
} from '@florin/invoicing-domain';
import type { Clock } from '@florin/kernel';
import { accountAggregate, type AccountCommand, accountCommandTypes } from '@florin/ledger-domain';
import { AddressController } from '../../address.controller';
import { AdvanceInvoiceHandler } from '../../advance-invoice';
import { Addresses, Invoices } from '../../aggregates';
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

export interface ReplicaOutside extends TurnBasedOutside {
  readonly clock: Clock;
  readonly due: DueInvoices;
  readonly options: InvoicingOptions;
}

/** Everything of invoicing and of the ledger as one process: all that it has in memory is gone when it dies. */
export class Replica implements TurnBasedReplica {
  readonly bus: CommandBus;
  readonly invoiceClock: InvoiceClock;
  private readonly processes: readonly RunningSubscription[];

  constructor(private readonly outside: ReplicaOutside) {
    const { clock, options, due } = outside;
    const contexts: Record<string, Routes> = {};
    this.bus = turnBasedBus(contexts, outside.turn, outside.carried);
    contexts['ledger'] = ledger(outside);
    contexts['invoicing'] = this.invoicing();
    this.invoiceClock = new InvoiceClock(due, this.bus, clock, options);
    this.processes = [invoicesProcess, settlementProcess].map((process) =>
      runInTurns(process, this.bus, outside, options.log),
    );
  }

  /** Why a process has stopped, which tells that it met what it cannot deal with. */
  stopped(): readonly string[] {
    return this.processes.flatMap((process) => {
      const status = process.status();
      return status.state === 'stopped' ? [status.reason] : [];
    });
  }

  abandon(): void {
    this.outside.checkpoints.crash();
    for (const process of this.processes) void process.stop();
  }

  private invoicing(): Routes {
    const { store, snapshots, clock, options } = this.outside;
    const invoices = new Invoices(store, clock);
    const addresses = new Addresses(store, snapshots, clock);
    const places = new PayAddressAllocator(addresses, clock, options);
    const advances = new AdvanceInvoiceHandler(invoices, places, this.bus);
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

function ledger({ store, snapshots, clock }: ReplicaOutside): Routes {
  const accounts = new CommandHandler(accountAggregate, { store, snapshots, clock });
  return routesOf(accountCommandTypes, (message: CommandMessage<AccountCommand>) =>
    accounts.handle(message.command.data.accountId, message.command, message),
  );
}
