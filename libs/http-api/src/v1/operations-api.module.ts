import {
  ApprovalQueries,
  CardQueries,
  HolderQueries,
  InvoiceQueries,
  OperationQueries,
  ProductQueries,
  RevealLinks,
  ReviewQueries,
  TransactionQueries,
} from '@florin/read-models';
import { Module } from '@nestjs/common';
import { CallbacksController } from '../issuer/v1/callbacks.controller';
import { LateOutcomes } from '../issuer/v1/late-outcomes';
import { LiveCards } from '../issuer/v1/live-cards';
import { ReportedPayments } from '../issuer/v1/reported-payments';
import { ReportedStatuses } from '../issuer/v1/reported-statuses';
import { OperatorCardsController } from '../operator/v1/cards.controller';
import { HolderErasures } from '../operator/v1/holder-erasures';
import { OperatorHoldersController } from '../operator/v1/holders.controller';
import { OperatorProductsController } from '../operator/v1/products.controller';
import { ReviewDecisions } from '../operator/v1/review-decisions';
import { ReviewsController } from '../operator/v1/reviews.controller';
import { CardChanges } from './cards/card-changes';
import { CardsController } from './cards/cards.controller';
import { RevealController } from './cards/reveal.controller';
import { RevealPageController } from './cards/reveal-page.controller';
import { HoldersController } from './holders/holders.controller';
import { BulkOperationsController } from './operations/bulk-operations.controller';
import { OperationsController } from './operations/operations.controller';
import { QuotesController } from './operations/quotes.controller';
import { ProductsController } from './products/products.controller';
import { SandboxTransactionsController } from './transactions/sandbox-transactions.controller';
import { TransactionsController } from './transactions/transactions.controller';

/** Cards, holders, operations and card payments for clients and operators, and the callbacks of the issuer. */
@Module({
  controllers: [
    ...[OperationsController, QuotesController, ProductsController, CardsController],
    ...[HoldersController, TransactionsController, SandboxTransactionsController, RevealController],
    ...[RevealPageController, ReviewsController, OperatorProductsController, OperatorHoldersController],
    ...[OperatorCardsController, CallbacksController, BulkOperationsController],
  ],
  providers: [
    ...[OperationQueries, CardQueries, HolderQueries, TransactionQueries, ProductQueries, RevealLinks],
    ...[CardChanges, HolderErasures, LateOutcomes, LiveCards, ReportedPayments, ReportedStatuses],
    ...[ReviewQueries, InvoiceQueries, ApprovalQueries, ReviewDecisions],
  ],
})
export class OperationsApiModule {}
