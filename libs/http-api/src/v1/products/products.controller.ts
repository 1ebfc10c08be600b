import { ProductQueries } from '@florin/read-models';
import { Controller } from '@nestjs/common';
import { z } from 'zod';
import { Endpoint, type ResponseOf } from '../../endpoint';
import { exampleProduct, product, productBody } from './product-schemas';

const products = z.strictObject({ data: z.array(product) });

@Controller()
export class ProductsController {
  constructor(private readonly queries: ProductQueries) {}

  @Endpoint({
    method: 'GET',
    path: '/api/v1/products',
    tag: 'Products',
    summary: 'List products',
    description: 'Returns the available products with their fees.',
    scope: 'cards:read',
    response: {
      status: 200,
      description: 'The available products.',
      schema: products,
      example: { data: [exampleProduct] },
    },
  })
  async list(): Promise<ResponseOf<typeof products>> {
    const all = await this.queries.list();
    return { data: all.filter(({ available }) => available).map(productBody) };
  }
}
