import { DepositQueries, type DepositView } from '@florin/read-models';
import { Controller } from '@nestjs/common';
import { z } from 'zod';
import { OperatorEndpoint, type OperatorInput, type ResponseOf } from '../../endpoint';
import { Cursors, pageOf, pageQuery } from '../../pages';
import { deposit, depositStatus } from './deposit-schemas';

const filters = z.strictObject({
  ...pageQuery,
  status: depositStatus.optional().meta({ description: 'Only deposits with this status' }),
});
const deposits = pageOf('DepositPage', deposit);
const byBlockTime = ({ blockTime, id }: DepositView) => ({ createdAt: blockTime, id });

@Controller()
export class DepositsController {
  constructor(
    private readonly queries: DepositQueries,
    private readonly cursors: Cursors,
  ) {}

  @OperatorEndpoint({
    method: 'GET',
    path: '/operator/v1/deposits',
    operationId: 'deposits.list',
    tag: 'Deposits',
    role: 'viewer',
    summary: 'List deposits',
    description:
      'Returns deposits to the addresses of Florin, newest first. A deposit without an invoice is `unmatched`. It needs a review if it may be meant for an invoice.',
    query: filters,
    response: { status: 200, description: 'A page of deposits.', schema: deposits },
  })
  list(input: OperatorInput<undefined, typeof filters>): Promise<ResponseOf<typeof deposits>> {
    return this.cursors.readPage(input, byBlockTime, (wanted, page) => this.queries.list(wanted, page));
  }
}
