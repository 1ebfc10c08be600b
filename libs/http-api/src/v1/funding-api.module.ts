import { DepositQueries, InvoiceQueries } from '@florin/read-models';
import { Module } from '@nestjs/common';
import { DepositsController } from '../operator/v1/deposits.controller';
import { TronController } from '../operator/v1/tron.controller';
import { PaymentPageController } from '../payment-page/payment-page.controller';
import { PaymentPages } from '../payment-page/payment-pages';
import { AddressLimiter } from '../rate-limit/address-limiter';
import { InvoicesController } from './invoices/invoices.controller';

/** Invoices for clients, pages for payers, deposits and the chain for operators. */
@Module({
  controllers: [InvoicesController, PaymentPageController, DepositsController, TronController],
  providers: [InvoiceQueries, DepositQueries, PaymentPages, AddressLimiter],
})
export class FundingApiModule {}
