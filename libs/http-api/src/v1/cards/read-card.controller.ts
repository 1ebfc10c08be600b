import { CardQueries } from '@florin/read-models';
import { Controller } from '@nestjs/common';
import { type ResponseOf, response } from '../../api-response';
import { Endpoint } from '../../endpoint';
import { notFound } from '../../errors/api-error';
import type { Input } from '../../input';
import { idParams } from '../../schemas';
import { card } from './card-schemas';

@Controller()
export class ReadCardController {
  constructor(private readonly queries: CardQueries) {}

  @Endpoint({
    method: 'GET',
    path: '/api/v1/cards/:id',
    tag: 'Cards',
    summary: 'Read a card',
    scope: 'cards:read',
    params: idParams,
    response: { status: 200, description: 'The card, with a masked number.', schema: card },
  })
  async read({ params, caller }: Input<undefined, undefined, typeof idParams>): Promise<ResponseOf<typeof card>> {
    const { companyId, environment } = caller;
    const found = await this.queries.find({ companyId, environment }, params.id);
    if (found === undefined) throw notFound(`There is no card ${params.id}: check the id.`);
    return response(200, found);
  }
}
