import { CardQueries } from '@florin/read-models';
import { Controller } from '@nestjs/common';
import { z } from 'zod';
import { type ResponseOf, response } from '../../api-response';
import { Cursors } from '../../cursors/cursors';
import { Endpoint } from '../../endpoint';
import type { Input } from '../../input';
import { byCreation, optionalPageQuery, pageOf, readPage } from '../../pages';
import { id } from '../../schemas';
import { productId } from '../products/product-schemas';
import { card, cardStatus } from './card-schemas';

const filters = z.strictObject({
  ...optionalPageQuery,
  status: cardStatus.optional().meta({ description: 'Only cards with this status' }),
  holderId: id.optional().meta({ description: 'Only cards of this holder' }),
  productId: productId.optional().meta({ description: 'Only cards of this product' }),
});
const cards = pageOf(card);

@Controller()
export class ListCardsController {
  constructor(
    private readonly queries: CardQueries,
    private readonly cursors: Cursors,
  ) {}

  @Endpoint({
    method: 'GET',
    path: '/api/v1/cards',
    tag: 'Cards',
    summary: 'List cards',
    description: 'Returns all cards, newest first, or one page if you send a `limit`.',
    scope: 'cards:read',
    query: filters,
    response: { status: 200, description: 'The cards, with masked numbers.', schema: cards },
  })
  async list(input: Input<undefined, typeof filters>): Promise<ResponseOf<typeof cards>> {
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
