import { TransactionQueries, type TransactionView } from '@florin/read-models';
import { Controller } from '@nestjs/common';
import { z } from 'zod';
import { Endpoint, type IdInput, type Input, type ResponseOf } from '../../endpoint';
import { mustBeFound } from '../../must-exist';
import { Cursors, pageOf, pageQuery } from '../../pages';
import { cardId, paramsOf, transactionId } from '../../ids';
import { timestampInput } from '../../schemas';
import { transaction, transactionStatus, transactionType } from './transaction-schemas';

const filters = z.strictObject({
  ...pageQuery,
  cardId: cardId.optional().meta({ description: 'Only payments with this card' }),
  type: transactionType.optional().meta({ description: 'Only payments of this type' }),
  status: transactionStatus.optional().meta({ description: 'Only payments with this status' }),
  from: timestampInput.optional().meta({ description: 'Only payments at this time or later' }),
  to: timestampInput.optional().meta({ description: 'Only payments at this time or earlier' }),
});
const transactions = pageOf('TransactionPage', transaction);

const byOccurrence = ({ occurredAt, id }: TransactionView) => ({ createdAt: occurredAt, id });

@Controller()
export class TransactionsController {
  constructor(
    private readonly queries: TransactionQueries,
    private readonly cursors: Cursors,
  ) {}

  @Endpoint({
    method: 'GET',
    path: '/api/v1/transactions',
    operationId: 'transactions.list',
    tag: 'Transactions',
    summary: 'List card payments',
    description: 'Returns card payments, newest first. Operations are not included; see the account statement.',
    scope: 'operations:read',
    query: filters,
    response: { status: 200, description: 'A page of transactions.', schema: transactions },
  })
  list(input: Input<undefined, typeof filters>): Promise<ResponseOf<typeof transactions>> {
    return this.cursors.readPage(input, byOccurrence, (wanted, page) => this.queries.list(input.caller, wanted, page));
  }

  @Endpoint({
    method: 'GET',
    path: '/api/v1/transactions/:id',
    operationId: 'transactions.get',
    tag: 'Transactions',
    summary: 'Read a card payment',
    scope: 'operations:read',
    params: paramsOf(transactionId),
    response: { status: 200, description: 'The transaction.', schema: transaction },
  })
  async read({ params: { id }, caller }: IdInput): Promise<ResponseOf<typeof transaction>> {
    return mustBeFound(await this.queries.find(caller, id), 'transaction', id);
  }
}
