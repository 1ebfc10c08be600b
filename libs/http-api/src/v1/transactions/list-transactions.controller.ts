import { TransactionQueries } from '@florin/read-models';
import { Controller } from '@nestjs/common';
import { z } from 'zod';
import { type ResponseOf, response } from '../../api-response';
import { Cursors } from '../../cursors/cursors';
import { Endpoint } from '../../endpoint';
import type { Input } from '../../input';
import { pageOf, pageQuery, readPage } from '../../pages';
import { id, timestampInput } from '../../schemas';
import { transaction, transactionStatus, transactionType } from './transaction-schemas';

const filters = z.strictObject({
  ...pageQuery,
  cardId: id.optional().meta({ description: 'Only payments with this card' }),
  type: transactionType.optional().meta({ description: 'Only payments of this type' }),
  status: transactionStatus.optional().meta({ description: 'Only payments with this status' }),
  from: timestampInput.optional().meta({ description: 'Only payments at this time or later' }),
  to: timestampInput.optional().meta({ description: 'Only payments at this time or earlier' }),
});
const transactions = pageOf(transaction);

@Controller()
export class ListTransactionsController {
  constructor(
    private readonly queries: TransactionQueries,
    private readonly cursors: Cursors,
  ) {}

  @Endpoint({
    method: 'GET',
    path: '/api/v1/transactions',
    tag: 'Transactions',
    summary: 'List card payments',
    description: 'Returns card payments, newest first. Operations are not included; see the account statement.',
    scope: 'operations:read',
    query: filters,
    response: { status: 200, description: 'A page of transactions.', schema: transactions },
  })
  async list(input: Input<undefined, typeof filters>): Promise<ResponseOf<typeof transactions>> {
    const { companyId, environment } = input.caller;
    const found = await readPage(
      this.cursors,
      input,
      (wanted, page) => this.queries.list({ companyId, environment }, wanted, page),
      ({ occurredAt, id }) => ({ createdAt: occurredAt, id }),
    );
    return response(200, found);
  }
}
