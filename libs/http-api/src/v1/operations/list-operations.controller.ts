import { OperationQueries } from '@florin/read-models';
import { Controller } from '@nestjs/common';
import { z } from 'zod';
import { type ResponseOf, response } from '../../api-response';
import { Cursors } from '../../cursors/cursors';
import { Endpoint } from '../../endpoint';
import type { Input } from '../../input';
import { byCreation, pageOf, pageQuery, readPage } from '../../pages';
import { id, timestampInput } from '../../schemas';
import { operation, operationStatus, operationType } from './operation-schemas';

const filters = z.strictObject({
  ...pageQuery,
  type: operationType.optional().meta({ description: 'Only operations of this type' }),
  status: operationStatus.optional().meta({ description: 'Only operations with this status' }),
  cardId: id.optional().meta({ description: 'Only operations that issued or topped up this card' }),
  createdFrom: timestampInput.optional().meta({ description: 'Only operations created at this time or later' }),
  createdTo: timestampInput.optional().meta({ description: 'Only operations created at this time or earlier' }),
});
const operations = pageOf(operation);

@Controller()
export class ListOperationsController {
  constructor(
    private readonly queries: OperationQueries,
    private readonly cursors: Cursors,
  ) {}

  @Endpoint({
    method: 'GET',
    path: '/api/v1/operations',
    tag: 'Operations',
    summary: 'List operations',
    description: 'Returns operations, newest first.',
    scope: 'operations:read',
    query: filters,
    response: { status: 200, description: 'A page of operations.', schema: operations },
  })
  async list(input: Input<undefined, typeof filters>): Promise<ResponseOf<typeof operations>> {
    const { companyId, environment } = input.caller;
    const found = await readPage(
      this.cursors,
      input,
      (wanted, page) => this.queries.list({ companyId, environment }, wanted, page),
      byCreation,
    );
    return response(200, found);
  }
}
