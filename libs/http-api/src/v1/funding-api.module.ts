import { DepositQueries, InvoiceQueries } from '@florin/read-models';
import { Module } from '@nestjs/common';
import { DepositsController } from '../operator/v1/deposits.controller';
import { InvoicesController } from './invoices/invoices.controller';

/** Invoices for clients, and deposits for operators. */
@Module({ controllers: [InvoicesController, DepositsController], providers: [InvoiceQueries, DepositQueries] })
export class FundingApiModule {}
