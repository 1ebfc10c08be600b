import type { Command } from '../command';
import { type Product, productsOutput } from './product-output';

export const productsList: Command = {
  words: 'products list',
  summary: 'Shows the whole catalogue, also what cannot be ordered now.',
  arguments: [],
  options: {},
  run: async ({ api }) => productsOutput(await api.get<{ data: readonly Product[] }>('/products')),
};
