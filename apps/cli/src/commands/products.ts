import {
  type FeeTerms,
  type PricedType,
  type Product as ProductDefinition,
  type ProductKind,
  productKinds,
} from '@florin/operations-domain';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { apiPath } from '../api-path';
import type { CliContext } from '../cli-context';
import { UsageError } from '../cli-errors';
import { type Columns, money, table } from '../table';
import { printPage } from './pages';

type Product = Omit<ProductDefinition, 'productId'> & { readonly id: string };

interface SetOptions {
  readonly kind: ProductKind;
  readonly name: string;
  readonly minimum: string;
  readonly feeIssue?: FeeTerms;
  readonly feeTopup?: FeeTerms;
  readonly feeService?: FeeTerms;
  readonly unavailable?: boolean;
}

/** Prices are printed in the format that `products set` accepts. */
const columns: Columns<Product> = {
  ID: ({ id }) => id,
  KIND: (product) => product.kind,
  NAME: ({ name }) => name,
  AVAILABLE: ({ available }) => (available ? 'yes' : 'no'),
  MINIMUM: money(({ minimumAmount }) => minimumAmount),
  'FEE ISSUE': money(({ fee }) => priceText(fee.issue)),
  'FEE TOPUP': money(({ fee }) => priceText(fee.topup)),
  'FEE SERVICE': money(({ fee }) => priceText(fee.service)),
};

const operationTypes: Readonly<Record<ProductKind, readonly PricedType[]>> = {
  card: ['issue', 'topup'],
  service: ['service'],
};

const examples = '3.00+0.2%, 3.00 or 0.2%';
const kind = new Option('--kind <kind>', 'kind of product').choices(productKinds).makeOptionMandatory();

export function addProductCommands(program: Command, context: CliContext): void {
  const products = program.command('products').description('Manage the product catalog.');
  products
    .command('list')
    .description('List all products, including unavailable ones.')
    .action(() => printPage(context, { api: context.operatorApi(), path: '/products', columns, plural: 'products' }));
  products
    .command('set <product-id>')
    .description('Define a product, or replace its definition. Existing operations keep their price.')
    .addOption(kind)
    .requiredOption('--name <name>', 'name shown to clients')
    .requiredOption('--minimum <amount>', 'minimum amount of an operation, such as 10.00')
    .option('--fee-issue <price>', `card: price of an issue, such as ${examples}; none: not for sale`, parsePrice)
    .option('--fee-topup <price>', 'card: price of a topup; none: not for sale', parsePrice)
    .option('--fee-service <price>', 'service: price of an order', parsePrice)
    .option('--unavailable', 'take the product off sale until it is set again without this option')
    .action(async (id: string, options: SetOptions) => {
      const product = await context.operatorApi().put<Product>(apiPath`/products/${id}`, productBody(options));
      context.output(product, table([product], columns));
    });
}

function productBody(options: SetOptions): object {
  const { name, minimum, feeIssue, feeTopup, feeService, unavailable = false } = options;
  const terms = Object.entries({ issue: feeIssue, topup: feeTopup, service: feeService });
  const fee = Object.fromEntries(terms.filter(([, given]) => given !== undefined));
  checkFees(options.kind, Object.keys(fee));
  return { kind: options.kind, name, minimumAmount: minimum, fee, available: !unavailable };
}

function checkFees(kind: ProductKind, given: readonly string[]): void {
  const allowed: readonly string[] = operationTypes[kind];
  const foreign = given.find((type) => !allowed.includes(type));
  if (foreign !== undefined) throw new UsageError(`--fee-${foreign} does not apply to a ${kind}. Remove it.`);
  if (given.length > 0) return;
  throw new UsageError(`A ${kind} needs a price. Set ${allowed.map((type) => `--fee-${type}`).join(' or ')}.`);
}

const pricePattern = /^(?:(\d+(?:\.\d{1,2})?)(?:\s*\+\s*(?=\d)|$))?(?:(\d{1,2}(?:\.\d{1,4})?)\s*%)?$/;

/** A fixed part, a percentage of the amount, or both joined by a plus sign. */
function parsePrice(text: string): FeeTerms {
  const [whole, fixed = '0', percent = '0'] = pricePattern.exec(text.trim()) ?? [];
  if (whole) return { fixed, percent };
  throw new InvalidArgumentError(`Use a price such as ${examples}.`);
}

function priceText(terms: FeeTerms | undefined): string | undefined {
  return terms && `${terms.fixed}+${terms.percent}%`;
}
