import { minimumAmountOfAll } from '@florin/operations-domain';
import { ProductQueries } from '@florin/read-models';
import { Controller, Inject } from '@nestjs/common';
import { z } from 'zod';
import { Endpoint, type Input, type ResponseOf } from '../../endpoint';
import { HTTP_API_OPTIONS, type HttpApiOptions } from '../../http-api-options';
import { exampleProduct, product, productBody } from './product-schemas';

const products = z
  .strictObject({ data: z.array(product).meta({ description: 'All of them' }) })
  .meta({ id: 'ProductList', description: 'All available products' });

@Controller()
export class ProductsController {
  constructor(
    private readonly queries: ProductQueries,
    @Inject(HTTP_API_OPTIONS) private readonly options: Pick<HttpApiOptions, 'minimums'>,
  ) {}

  @Endpoint({
    method: 'GET',
    path: '/api/v1/products',
    operationId: 'products.list',
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
  async list({ caller }: Input): Promise<ResponseOf<typeof products>> {
    const all = await this.queries.list(caller);
    const available = all.filter((each) => each.available);
    const { minimums } = this.options;
    return {
      data: available.map((each) => ({ ...productBody(each), minimumAmount: minimumAmountOfAll(each, minimums) })),
    };
  }
}
