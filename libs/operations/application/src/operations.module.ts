import { type DynamicModule, Module } from '@nestjs/common';
import { AdvanceOperationHandler } from './advance-operation';
import { Cards, Holders, Operations, Products, Quotes, Transactions } from './aggregates';
import { CardController } from './card.controller';
import { HolderController } from './holder.controller';
import { HolderKeySweep } from './holder-key.sweep';
import { IssuerCalls } from './issuer-calls';
import { IssuerRequests } from './issuer-requests';
import { OperationController } from './operation.controller';
import { OPERATIONS_OPTIONS, type OperationsOptions } from './operations-options';
import { OperationsWatchdog } from './operations.watchdog';
import { OrderReservations } from './order-reservations';
import { AdmissionControl } from './admission-control';
import { ProductController } from './product.controller';
import { QuoteOperationHandler } from './quote-operation';
import { RecordTransactionHandler } from './record-transaction';
import { RequestChecks } from './request-checks';
import { RequestOperationHandler } from './request-operation';
import { RequestOperationsHandler } from './request-operations';
import { RevealCardHandler } from './reveal-card';
import { TransactionController } from './transaction.controller';
import { UnloadReservations } from './unload-reservations';

const controllers = [OperationController, CardController, HolderController, ProductController, TransactionController];
const aggregates = [Operations, Cards, Holders, Products, Quotes, Transactions];
const useCases = [
  ...[RequestOperationHandler, QuoteOperationHandler, AdvanceOperationHandler, RecordTransactionHandler],
  ...[RequestOperationsHandler, RevealCardHandler],
];

/**
 * The composition provides EVENT_STORE, COMMAND_BUS, CLOCK, ISSUERS, UNFINISHED_OPERATIONS, HOLDER_VAULT and
 * UNCONFIRMED_HOLDER_KEYS globally, and runs `operationsProcess`. The watchdog and the sweep start and stop with the
 * application.
 */
@Module({})
export class OperationsModule {
  static forRoot(options: OperationsOptions): DynamicModule {
    const parts = [RequestChecks, OrderReservations, UnloadReservations, AdmissionControl, IssuerRequests, IssuerCalls];
    const tasks = [OperationsWatchdog, HolderKeySweep];
    return {
      module: OperationsModule,
      controllers,
      providers: [{ provide: OPERATIONS_OPTIONS, useValue: options }, ...aggregates, ...useCases, ...parts, ...tasks],
      exports: [OperationsWatchdog],
    };
  }
}
