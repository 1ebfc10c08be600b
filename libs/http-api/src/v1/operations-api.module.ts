import {
  CardQueries,
  HolderQueries,
  InvoiceQueries,
  OperationQueries,
  ProductQueries,
  ReviewQueries,
  TransactionQueries,
} from '@florin/read-models';
import { Module } from '@nestjs/common';
import { CallbacksController } from '../issuer/v1/callbacks.controller';
import { LateOutcomes } from '../issuer/v1/late-outcomes';
import { ReportedPayments } from '../issuer/v1/reported-payments';
import { HoldersController } from '../operator/v1/holders.controller';
import { ProductsController } from '../operator/v1/products.controller';
import { ReviewDecisions } from '../operator/v1/review-decisions';
import { ReviewsController } from '../operator/v1/reviews.controller';
import { ChangeCardController } from './cards/change-card.controller';
import { ListCardsController } from './cards/list-cards.controller';
import { ReadCardController } from './cards/read-card.controller';
import { ListHoldersController } from './holders/list-holders.controller';
import { RegisterHolderController } from './holders/register-holder.controller';
import { CreateOperationController } from './operations/create-operation.controller';
import { ListOperationsController } from './operations/list-operations.controller';
import { ReadOperationController } from './operations/read-operation.controller';
import { ListProductsController } from './products/list-products.controller';
import { CreateQuoteController } from './quotes/create-quote.controller';
import { SimulateTransactionController } from './sandbox-transactions/simulate-transaction.controller';
import { ListTransactionsController } from './transactions/list-transactions.controller';

const clientControllers = [
  ...[CreateOperationController, ListOperationsController, ReadOperationController, CreateQuoteController],
  ...[ListProductsController, ListCardsController, ReadCardController, ChangeCardController],
  ...[ListHoldersController, RegisterHolderController],
  ...[ListTransactionsController, SimulateTransactionController],
];
const operatorControllers = [ReviewsController, ProductsController, HoldersController];

/** Cards, holders, operations and card payments for clients and operators, and the callbacks of the issuer. */
@Module({
  controllers: [...clientControllers, ...operatorControllers, CallbacksController],
  providers: [
    ...[OperationQueries, CardQueries, HolderQueries, TransactionQueries, ProductQueries],
    ...[LateOutcomes, ReportedPayments],
    ...[ReviewQueries, InvoiceQueries, ReviewDecisions],
  ],
})
export class OperationsApiModule {}
