import type { Product as DefinedProduct } from '@florin/operations-domain';
import type { CommandOutput } from '../command';
import { type Columns, table } from '../table';
import { tellFeeTerms } from './fee-terms';

export type Product = Omit<DefinedProduct, 'productId'> & { readonly id: string };

/** Prices are shown as `products put` takes them. */
const columns: Columns<Product> = {
  ID: ({ id }) => id,
  KIND: ({ kind }) => kind,
  NAME: ({ name }) => name,
  AVAILABLE: ({ available }) => (available ? 'yes' : 'no'),
  MINIMUM: ({ minimumAmount }) => minimumAmount,
  'FEE ISSUE': ({ fee }) => tellFeeTerms(fee.issue),
  'FEE TOPUP': ({ fee }) => tellFeeTerms(fee.topup),
  'FEE SERVICE': ({ fee }) => tellFeeTerms(fee.service),
};

export function productsOutput(answer: { readonly data: readonly Product[] }): CommandOutput {
  return { answer, text: answer.data.length === 0 ? 'There are no products yet.' : table(answer.data, columns) };
}

export function productOutput(product: Product): CommandOutput {
  return { answer: product, text: table([product], columns) };
}
