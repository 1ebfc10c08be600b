import { DepositQueries, InvoiceQueries } from '@florin/read-models';
import { Module } from '@nestjs/common';
import { DepositsController } from '../operator/v1/deposits.controller';
import { CreateInvoiceController } from './invoices/create-invoice.controller';
import { ListInvoicesController } from './invoices/list-invoices.controller';
import { ReadInvoiceController } from './invoices/read-invoice.controller';
import { CompleteInvoiceController } from './sandbox-invoices/complete-invoice.controller';

const ofClients = [CreateInvoiceController, ListInvoicesController, ReadInvoiceController, CompleteInvoiceController];

/** Funding the account by invoice: for clients, and what arrived on the chain for operators. */
@Module({
  controllers: [...ofClients, DepositsController],
  providers: [InvoiceQueries, DepositQueries],
})
export class FundingApiModule {}
