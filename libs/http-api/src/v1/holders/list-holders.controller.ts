import { HolderQueries } from '@florin/read-models';
import { Controller } from '@nestjs/common';
import { z } from 'zod';
import { type ResponseOf, response } from '../../api-response';
import { Cursors } from '../../cursors/cursors';
import { Endpoint } from '../../endpoint';
import type { Input } from '../../input';
import { byCreation, optionalPageQuery, pageOf, readPage } from '../../pages';
import { externalId, holder, holderBody, holderKind, holderStatus } from './holder-schemas';

const filters = z.strictObject({
  ...optionalPageQuery,
  kind: holderKind.optional().meta({ description: 'Only holders of this kind' }),
  status: holderStatus.optional().meta({ description: 'Only holders with this status' }),
  externalId: externalId.optional().meta({ description: 'Only the holder with this `externalId`' }),
});
const holders = pageOf(holder);

@Controller()
export class ListHoldersController {
  constructor(
    private readonly queries: HolderQueries,
    private readonly cursors: Cursors,
  ) {}

  @Endpoint({
    method: 'GET',
    path: '/api/v1/holders',
    tag: 'Holders',
    summary: 'List cardholders',
    description: 'Returns all holders, newest first, or one page if you send a `limit`.',
    scope: 'holders:read',
    query: filters,
    response: { status: 200, description: 'The holders.', schema: holders },
  })
  async list(input: Input<undefined, typeof filters>): Promise<ResponseOf<typeof holders>> {
    const { companyId, environment } = input.caller;
    const { data, nextCursor } = await readPage(
      this.cursors,
      input,
      (wanted, page) => this.queries.list({ companyId, environment }, wanted, page),
      byCreation,
    );
    return response(200, { data: data.map(holderBody), nextCursor });
  }
}
