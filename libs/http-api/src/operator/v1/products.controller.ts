import { randomId } from '@florin/kernel';
import type { DefineProduct, Product } from '@florin/operations-domain';
import { ProductQueries } from '@florin/read-models';
import { Controller } from '@nestjs/common';
import { z } from 'zod';
import { type ResponseOf, response } from '../../api-response';
import { Commands } from '../../commands';
import { OperatorEndpoint } from '../../endpoint';
import { validationFailed } from '../../errors/api-error';
import type { OperatorInput } from '../../input';
import { exampleProduct, isProductId, operatorProduct, productBody } from '../../v1/products/product-schemas';
import { productDefinition } from './product-definition';

const tag = 'Products';
const products = z.strictObject({ data: z.array(operatorProduct) });
const anyId = z.strictObject({ id: z.string().meta({ description: "The product's id", examples: ['virtual-usd'] }) });
const example = { ...exampleProduct, available: true };

@Controller()
export class ProductsController {
  constructor(
    private readonly commands: Commands,
    private readonly queries: ProductQueries,
  ) {}

  @OperatorEndpoint({
    method: 'GET',
    path: '/operator/v1/products',
    tag,
    summary: 'List all products',
    description: 'Also those that cannot be ordered now.',
    response: { status: 200, description: 'The whole catalogue.', schema: products, example: { data: [example] } },
  })
  async list(): Promise<ResponseOf<typeof products>> {
    const all = await this.queries.list();
    return response(200, { data: all.map(bodyOf) });
  }

  @OperatorEndpoint({
    method: 'PUT',
    path: '/operator/v1/products/:id',
    tag,
    summary: 'Define a product, or change it',
    description:
      'The id is 1 to 63 lowercase letters, digits and hyphens. New terms hold for new operations: whoever expects the ' +
      'old total is told so.',
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
      throw validationFailed("A product's id must be 1 to 63 lowercase letters, digits and hyphens: use another one.");
    }
    const product: Product = { productId, ...body };
    const requestId = randomId();
    const command: DefineProduct = { type: 'DefineProduct', data: { ...product, requestId } };
    await this.commands.execute(origin, { context: 'operations', key: productId, id: requestId, command });
    return response(200, bodyOf(product));
  }
}

function bodyOf(product: Product) {
  return { ...productBody(product), available: product.available };
}
