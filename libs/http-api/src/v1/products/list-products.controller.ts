import { ProductQueries } from '@florin/read-models';
import { Controller } from '@nestjs/common';
import { z } from 'zod';
import { type AnswerOf, answer } from '../../answer';
import { Endpoint } from '../../endpoint';
import { exampleProduct, product, productBody } from './product-schemas';

const products = z.strictObject({ data: z.array(product) });

@Controller()
export class ListProductsController {
  constructor(private readonly queries: ProductQueries) {}

  @Endpoint({
    method: 'GET',
    path: '/api/v1/products',
    tag: 'Products',
    summary: 'List products',
    description: 'Everything that can be ordered now, with its price.',
    scope: 'cards:read',
    answers: { status: 200, description: 'The catalogue.', schema: products, example: { data: [exampleProduct] } },
  })
  async list(): Promise<AnswerOf<typeof products>> {
    const all = await this.queries.list();
    return answer(200, { data: all.filter(({ available }) => available).map(productBody) });
  }
}
