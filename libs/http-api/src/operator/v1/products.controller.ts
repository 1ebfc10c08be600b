import { CLOCK } from '@florin/event-sourcing';
import { type Clock, randomId } from '@florin/kernel';
import type { DefineProduct, Product } from '@florin/operations-domain';
import { operators, ProductQueries } from '@florin/read-models';
import { Controller, Inject } from '@nestjs/common';
import { z } from 'zod';
import { Commands } from '../../commands';
import { OperatorEndpoint, type OperatorInput, type ResponseOf } from '../../endpoint';
import { validationFailed } from '../../errors/api-error';
import { exampleProduct, isProductId, operatorProduct, productBody } from '../../v1/products/product-schemas';
import { productDefinition } from './product-definition';

const tag = 'Products';
const products = z
  .strictObject({ data: z.array(operatorProduct).meta({ description: 'All of them' }) })
  .meta({ id: 'OperatorProductList', description: 'All products' });
const anyId = z.strictObject({
  id: z.string().meta({ description: 'The id of the product', examples: ['virtual-usd'] }),
});
const example = { ...exampleProduct, available: true };

@Controller()
export class OperatorProductsController {
  constructor(
    private readonly commands: Commands,
    private readonly queries: ProductQueries,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @OperatorEndpoint({
    method: 'GET',
    path: '/operator/v1/products',
    operationId: 'products.list',
    tag,
    role: 'viewer',
    summary: 'List all products',
    description: 'Returns all products, including unavailable ones.',
    response: { status: 200, description: 'All products.', schema: products, example: { data: [example] } },
  })
  async list(): Promise<ResponseOf<typeof products>> {
    const all = await this.queries.list(operators);
    return { data: all.map(bodyOf) };
  }

  @OperatorEndpoint({
    method: 'PUT',
    path: '/operator/v1/products/:id',
    operationId: 'products.define',
    tag,
    role: 'admin',
    summary: 'Create or change a product',
    description:
      'The id has 1 to 63 characters a-z, 0-9 and hyphens. Changed fees apply to new operations. A request that expects the ' +
      'old total returns `409 quote_changed`.',
    params: anyId,
    body: productDefinition,
    response: { status: 200, description: 'The product.', schema: operatorProduct, example },
  })
  async define({
    params: { id: productId },
    body,
    ...origin
  }: OperatorInput<typeof productDefinition, undefined, typeof anyId>): Promise<ResponseOf<typeof operatorProduct>> {
    if (!isProductId(productId)) {
      throw validationFailed('The id of a product must be 1 to 63 characters a-z, 0-9 and hyphens: use another one.');
    }
    const product: Product = { productId, ...body };
    const requestId = randomId();
    const requestedAt = this.clock.now().toISOString();
    const command: DefineProduct = { type: 'DefineProduct', data: { ...product, requestId, requestedAt } };
    await this.commands.execute(origin, { context: 'operations', key: productId, id: requestId, command });
    return bodyOf(product);
  }
}

function bodyOf(product: Product) {
  return { ...productBody(product), available: product.available };
}
