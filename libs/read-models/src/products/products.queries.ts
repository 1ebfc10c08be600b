import type { Prisma } from '@florin/database';
import { formatMoney } from '@florin/kernel';
import type { Product, ProductKind } from '@florin/operations-domain';
import { Injectable } from '@nestjs/common';
import { operators, type Reader } from '../read-database';
import { ReadModelQueries } from '../read-model-queries';
import { storableText } from '../storable-text';
import { productsProjection } from './products.projection';

@Injectable()
export class ProductQueries extends ReadModelQueries {
  /** All products, including unavailable ones, sorted by id. */
  async list(reader: Reader): Promise<readonly Product[]> {
    await this.waitUntilCaughtUp(productsProjection);
    const products = await this.read(reader, ({ prisma }) => prisma.product.findMany({ orderBy: { id: 'asc' } }));
    return products.map(productView);
  }

  /** For operators. */
  async find(productId: string): Promise<Product | undefined> {
    await this.waitUntilCaughtUp(productsProjection);
    const where = { id: storableText(productId) };
    const product = await this.read(operators, ({ prisma }) => prisma.product.findUnique({ where }));
    return product === null ? undefined : productView(product);
  }
}

function productView({ id, kind, name, fee, minimumAmount, available }: Prisma.ProductGetPayload<object>): Product {
  return {
    productId: id,
    kind: kind as ProductKind,
    name,
    currency: 'USD',
    fee: fee as Product['fee'],
    minimumAmount: formatMoney(minimumAmount),
    available,
  };
}
