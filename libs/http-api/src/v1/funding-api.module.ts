import { DepositQueries, InvoiceQueries } from '@florin/read-models';
import { Module } from '@nestjs/common';
import { DepositsController } from '../operator/v1/deposits.controller';
import { CreateInvoiceController } from './invoices/create-invoice.controller';
import { ListInvoicesController } from './invoices/list-invoices.controller';
import { ReadInvoiceController } from './invoices/read-invoice.controller';
import { CompleteInvoiceController } from './sandbox-invoices/complete-invoice.controller';

const clientControllers = [
  CreateInvoiceController,
  ListInvoicesController,
  ReadInvoiceController,
  CompleteInvoiceController,
];

/** Invoices for clients, and deposits for operators. */
@Module({
  controllers: [...clientControllers, DepositsController],
  providers: [InvoiceQueries, DepositQueries],
})
export class FundingApiModule {}
