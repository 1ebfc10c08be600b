import { type OperationType, type ProductKind, productKinds } from '@florin/operations-domain';
import { UsageError } from '../cli-errors';
import type { Command, CommandInput } from '../command';
import { readFeeTerms } from './fee-terms';
import { type Product, productOutput } from './product-output';

const typesOf: Readonly<Record<ProductKind, readonly OperationType[]>> = {
  card: ['issue', 'topup'],
  service: ['service'],
};

const price = 'such as 3.00+0.2%, 3.00 or 0.2%';

export const productsPut: Command = {
  words: 'products put',
  summary: 'Defines a product, or replaces its whole definition. Operations ordered before keep their price.',
  arguments: ['product-id'],
  options: {
    kind: { value: productKinds.join('|'), description: 'what it is' },
    name: { value: 'name', description: 'how clients see it' },
    minimum: { value: 'amount', description: 'the smallest amount of an operation, such as 10.00' },
    'fee-issue': {
      value: 'price',
      description: `card: the price of an issue, ${price}; without it none can be ordered`,
    },
    'fee-topup': { value: 'price', description: 'card: the price of a topup; without it none can be ordered' },
    'fee-service': { value: 'price', description: 'service: the price of an order' },
    unavailable: { description: 'take it off sale: nobody can order it until it is put again without this' },
  },
  run: async (input) => {
    const path = `/products/${encodeURIComponent(input.text('product-id'))}`;
    const kind = input.oneOf('kind', productKinds);
    const body = {
      kind,
      name: input.text('name'),
      minimumAmount: input.text('minimum'),
      fee: readFees(kind, input),
      available: !input.has('unavailable'),
    };
    return productOutput(await input.api.put<Product>(path, body));
  },
};

function readFees(kind: ProductKind, input: CommandInput): Product['fee'] {
  const own = typesOf[kind].map((type) => `fee-${type}`);
  const given = Object.keys(productsPut.options).filter((name) => name.startsWith('fee-') && input.has(name));
  const foreign = given.find((name) => !own.includes(name));
  if (foreign !== undefined) throw new UsageError(`--${foreign} does not belong to a ${kind}; leave it out`);
  if (given.length === 0) throw new UsageError(`A ${kind} needs its price: give --${own.join(' or --')}`);
  const terms = given.map((name) => [name.slice('fee-'.length), readFeeTerms(name, input.text(name))] as const);
  return Object.fromEntries(terms);
}
