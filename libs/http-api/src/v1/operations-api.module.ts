import {
  ApprovalQueries,
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
import { OperatorHoldersController } from '../operator/v1/holders.controller';
import { OperatorProductsController } from '../operator/v1/products.controller';
import { ReviewDecisions } from '../operator/v1/review-decisions';
import { ReviewsController } from '../operator/v1/reviews.controller';
import { CardsController } from './cards/cards.controller';
import { HoldersController } from './holders/holders.controller';
import { OperationsController } from './operations/operations.controller';
import { QuotesController } from './operations/quotes.controller';
import { ProductsController } from './products/products.controller';
import { TransactionsController } from './transactions/transactions.controller';

/** Cards, holders, operations and card payments for clients and operators, and the callbacks of the issuer. */
@Module({
  controllers: [
    ...[OperationsController, QuotesController, ProductsController, CardsController],
    ...[HoldersController, TransactionsController],
    ...[ReviewsController, OperatorProductsController, OperatorHoldersController, CallbacksController],
  ],
  providers: [
    ...[OperationQueries, CardQueries, HolderQueries, TransactionQueries, ProductQueries],
    ...[LateOutcomes, ReportedPayments],
    ...[ReviewQueries, InvoiceQueries, ApprovalQueries, ReviewDecisions],
  ],
})
export class OperationsApiModule {}
