import { DepositQueries, InvoiceQueries } from '@florin/read-models';
import { Module } from '@nestjs/common';
import { DepositsController } from '../operator/v1/deposits.controller';
import { TronController } from '../operator/v1/tron.controller';
import { InvoicesController } from './invoices/invoices.controller';

/** Invoices for clients, deposits and the chain for operators. */
@Module({
  controllers: [InvoicesController, DepositsController, TronController],
  providers: [InvoiceQueries, DepositQueries],
})
export class FundingApiModule {}
