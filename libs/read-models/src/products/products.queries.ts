import { PRISMA, type Prisma, type PrismaClient } from '@florin/database';
import { READ_YOUR_WRITES, type ReadYourWrites } from '@florin/event-sourcing';
import { formatMoney } from '@florin/kernel';
import type { Product, ProductKind } from '@florin/operations-domain';
import { Inject, Injectable } from '@nestjs/common';
import { storableText } from '../storable-text';
import { productsProjection } from './products.projection';

/** Every result includes all writes that were acknowledged before the call. */
@Injectable()
export class ProductQueries {
  constructor(
    @Inject(PRISMA) private readonly prisma: PrismaClient,
    @Inject(READ_YOUR_WRITES) private readonly readYourWrites: ReadYourWrites,
  ) {}

  /** All products, including unavailable ones, sorted by id. */
  async list(): Promise<readonly Product[]> {
    await this.readYourWrites.waitUntilCaughtUp(productsProjection.name);
    const products = await this.prisma.product.findMany({ orderBy: { id: 'asc' } });
    return products.map(productView);
  }

  async find(productId: string): Promise<Product | undefined> {
    await this.readYourWrites.waitUntilCaughtUp(productsProjection.name);
    const product = await this.prisma.product.findUnique({ where: { id: storableText(productId) } });
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
