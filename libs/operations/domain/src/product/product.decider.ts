import {
  type Aggregate,
  assert,
  decideRepeat,
  noRequests,
  type RecentRequests,
  refuse,
  rememberRequest,
} from '@florin/kernel';
import type { PricedType } from '../operation/operation.messages';
import {
  type FeeTerms,
  type Product,
  type ProductCommand,
  type ProductEvent,
  productEventVersions,
  type ProductKind,
  type ProductRefusal,
} from './product.messages';

export interface ProductState {
  /** Undefined until the product is defined. */
  product: Product | undefined;
  /** The newest requests. A repeat changes nothing. */
  readonly requests: RecentRequests<null>;
}

const typesOf: Readonly<Record<ProductKind, readonly PricedType[]>> = {
  card: ['issue', 'topup'],
  service: ['service'],
};

const idPattern = /^[a-z0-9][a-z0-9-]{0,62}$/;
const amountPattern = /^\d{1,12}\.\d{2}$/;
/** Below 100 %, with at most six decimals to keep the fee exact before rounding. */
const percentPattern = /^\d{1,2}(\.\d{1,6})?$/;

export const productAggregate: Aggregate<ProductState, ProductCommand, ProductEvent, ProductRefusal, Product> = {
  category: 'product',
  stateVersion: 1,
  versions: productEventVersions,

  initialState: () => ({ product: undefined, requests: noRequests() }),

  decide: ({ data }, { requests }) => {
    const { productId, kind, name, currency, fee, minimumAmount, available, requestId, requestedAt } = data;
    const repeat = decideRepeat(requests, requestId, requestedAt);
    if (repeat !== undefined) return repeat;
    const product: Product = { productId, kind, name, currency, fee, minimumAmount, available };
    const flaw = flawIn(product);
    if (flaw !== undefined) return refuse('validation_failed', flaw);
    // Records the request even if nothing changes. Otherwise a late duplicate would undo a newer definition.
    return [{ type: 'ProductDefined', data: { ...product, requestId, requestedAt } }];
  },

  evolve: (state, { data: { requestId, requestedAt, ...product } }) => {
    state.product = product;
    if (requestId !== undefined) rememberRequest(state.requests, requestId, requestedAt, null);
    return state;
  },

  answer: productAnswer,
};

export function productAnswer({ product }: ProductState): Product {
  assert(product !== undefined, 'the product must exist after an accepted command');
  return product;
}

/** Clients are charged by these terms without further checks, so invalid terms are refused here. */
function flawIn({ productId, kind, fee, minimumAmount }: Product): string | undefined {
  if (!idPattern.test(productId)) {
    return `Product id ${productId} must be 1 to 63 lowercase letters, digits and hyphens, and not start with a hyphen`;
  }
  if (!amountPattern.test(minimumAmount)) return `minimumAmount ${minimumAmount} must be an amount such as 10.00`;
  const allowed: readonly string[] = typesOf[kind];
  for (const [type, terms] of Object.entries(fee)) {
    if (!allowed.includes(type)) return `A ${kind} product has fees for ${allowed.join(' and ')} only: remove ${type}`;
    const flaw = flawInTerms(type, terms);
    if (flaw !== undefined) return flaw;
  }
  return undefined;
}

function flawInTerms(type: string, { fixed, percent }: FeeTerms): string | undefined {
  if (!amountPattern.test(fixed)) return `The fixed fee of ${type}, ${fixed}, must be an amount such as 3.00`;
  if (percentPattern.test(percent)) return undefined;
  return `The percentage of ${type}, ${percent}, must be below 100 with at most six decimals, such as 0.2`;
}
