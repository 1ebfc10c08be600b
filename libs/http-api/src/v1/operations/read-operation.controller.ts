import { OperationQueries } from '@florin/read-models';
import { Controller } from '@nestjs/common';
import { type ResponseOf, response } from '../../api-response';
import { requireScope } from '../../auth/permissions';
import { Endpoint } from '../../endpoint';
import { notFound } from '../../errors/api-error';
import type { Input } from '../../input';
import { idParams } from '../../schemas';
import { operation, writeScopes } from './operation-schemas';

@Controller()
export class ReadOperationController {
  constructor(private readonly queries: OperationQueries) {}

  @Endpoint({
    method: 'GET',
    path: '/api/v1/operations/:id',
    tag: 'Operations',
    summary: 'Read an operation',
    description:
      'A key that could have created the operation may read it, too: `services:write` a service, for example.',
    scope: ['operations:read', 'cards:write', 'services:write'],
    params: idParams,
    response: { status: 200, description: 'The current state of the operation.', schema: operation },
  })
  async read({ params, caller }: Input<undefined, undefined, typeof idParams>): Promise<ResponseOf<typeof operation>> {
    const { companyId, environment } = caller;
    const found = await this.queries.find({ companyId, environment }, params.id);
    if (found === undefined) throw notFound(`There is no operation ${params.id}: check the id.`);
    requireScope(caller, ['operations:read', writeScopes[found.type]]);
    return response(200, found);
  }
}
