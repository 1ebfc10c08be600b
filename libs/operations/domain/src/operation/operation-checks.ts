import {
  assert,
  formatMoney,
  idempotencyConflict,
  type Money,
  type MoneyText,
  parseMoney,
  type Refusal,
  refuse,
} from '@florin/kernel';
import { maximumCardBalance } from '../card/card-payments';
import { refusalOfUnload } from '../card/card-unloads';
import type { CardStatus } from '../card/card.messages';
import type { HolderStatus } from '../holder/holder.messages';
import type { Product, Quote } from '../product/product.messages';
import { quoteOf, quoteOfUnload } from '../product/quote';
import type { OperationType, Order, PricedType } from './operation.messages';
import type { OperationRequest, RequestRefusal } from './request.messages';

/** The objects that the request names. A missing one does not exist. */
export interface RequestFacts {
  /** The order of the operation with the request's id. */
  readonly known?: Order;
  readonly product?: Product;
  /** Issue only, and only a holder of this account. */
  readonly holder?: { readonly status: HolderStatus };
  /** Topup and unload only. */
  readonly card?: {
    readonly accountId: string;
    readonly status: CardStatus;
    readonly productId: string;
    readonly balance: Money;
    readonly available: Money;
  };
  readonly minimums: MinimumAmounts;
}

/** The minimum amounts for all products. */
export interface MinimumAmounts {
  readonly issue: MoneyText;
  readonly topup: MoneyText;
}

/** The rejections that do not depend on quota or funds. */
export type CheckRefusal = Exclude<RequestRefusal, 'quota_exceeded' | 'insufficient_funds'>;

export type CheckedRequest =
  /** The request was accepted before, with this order. */
  { readonly repeated: Order } | PricedRequest | Refusal<CheckRefusal>;

export interface PricedRequest {
  readonly quote: Quote;
  readonly productId: string;
  /** Undefined for an unload. */
  readonly product: Product | undefined;
}

type Check = (
  request: OperationRequest,
  facts: RequestFacts,
  quote: Quote | undefined,
) => Refusal<CheckRefusal> | undefined;

/**
 * In order of precedence: the first failing check is reported. Missing objects come before conflicts, and conflicts before
 * business rules, except that an unavailable product has no quote to compare.
 */
const precedence: readonly Check[] = [
  objectExists,
  idIsFree,
  productIsOffered,
  totalIsExpected,
  amountIsEnough,
  productIsThatOfTheCard,
  holderIsActive,
  cardIsActive,
  cardHasRoom,
  cardHasMoney,
];

/** Checks everything but quota and funds, and calculates the price. Pure. */
export function checkRequest(request: OperationRequest, facts: RequestFacts): CheckedRequest {
  const { known, product } = facts;
  if (known !== undefined && known.fingerprint === request.fingerprint) return { repeated: known };
  const quote = priceOf(request, product);
  for (const check of precedence) {
    const refusal = check(request, facts, quote);
    if (refusal !== undefined) return refusal;
  }
  const productId = product?.productId ?? facts.card?.productId;
  assert(quote !== undefined && productId !== undefined, 'a request that passes every check has a product and a price');
  return { quote, productId, product };
}

function priceOf({ type, amount }: OperationRequest, product: Product | undefined): Quote | undefined {
  if (type === 'unload') return quoteOfUnload(amount);
  return product?.available === true ? quoteOf(product, type, amount) : undefined;
}

function objectExists({ type, accountId }: OperationRequest, { holder, card }: RequestFacts) {
  if (type === 'issue' && holder === undefined) {
    return refuse('not_found', 'There is no such holder: check holderId, or create the holder first');
  }
  if ((type === 'topup' || type === 'unload') && card?.accountId !== accountId) {
    return refuse('not_found', 'There is no such card: check cardId, or issue the card first');
  }
  return undefined;
}

function idIsFree(_request: OperationRequest, { known }: RequestFacts) {
  return known === undefined ? undefined : idempotencyConflict();
}

function productIsOffered({ type, productId }: OperationRequest, { product }: RequestFacts, quote?: Quote) {
  if (quote !== undefined) return undefined;
  if (product === undefined) {
    return refuse('product_unavailable', `There is no product ${productId}: choose one from the list of products`);
  }
  if (!product.available) {
    return refuse('product_unavailable', `Product ${productId} is not available now: choose another one`);
  }
  const offered = Object.keys(product.fee).join(' and ') || 'nothing';
  return refuse('product_unavailable', `Product ${productId} offers ${offered}, not ${type}: choose another product`);
}

function totalIsExpected({ expectedTotal }: OperationRequest, _facts: RequestFacts, quote?: Quote) {
  if (quote === undefined || expectedTotal === undefined || expectedTotal === quote.total) return undefined;
  return refuse(
    'quote_changed',
    `The total is ${quote.total} now, not ${expectedTotal}: if you agree, send expectedTotal ${quote.total}`,
  );
}

function amountIsEnough({ type, amount }: OperationRequest, { product, minimums }: RequestFacts) {
  const minimum = minimumAmountOf(type, product, minimums);
  if (parseMoney(amount) >= minimum) return undefined;
  return refuse('amount_below_minimum', `amount ${amount} is too small: send at least ${formatMoney(minimum)}`);
}

function minimumAmountOf(type: OperationType, product: Product | undefined, minimums: MinimumAmounts): Money {
  const configured = type === 'issue' || type === 'topup' ? minimums[type] : undefined;
  return largest(minReservation, moneyOf(configured), moneyOf(product?.minimumAmount));
}

/** The smallest amount that every type of operation with the product accepts. */
export function minimumAmountOfAll(product: Product, minimums: MinimumAmounts): MoneyText {
  const types = Object.keys(product.fee) as PricedType[];
  return formatMoney(
    largest(moneyOf(product.minimumAmount), ...types.map((type) => minimumAmountOf(type, product, minimums))),
  );
}

function productIsThatOfTheCard({ type, productId }: OperationRequest, { card }: RequestFacts) {
  if (type !== 'topup' || card === undefined || card.productId === productId) return undefined;
  return refuse('validation_failed', `The card is of product ${card.productId}: send that as productId`);
}

function holderIsActive({ type }: OperationRequest, { holder }: RequestFacts) {
  if (type !== 'issue' || holder === undefined || holder.status === 'active') return undefined;
  const remedy = holder.status === 'pending' ? 'wait until the holder is active' : 'choose another holder';
  return refuse('holder_not_active', `The holder is ${holder.status}, and cards are for active holders: ${remedy}`);
}

function cardIsActive({ type }: OperationRequest, { card }: RequestFacts) {
  if (type !== 'topup' || card === undefined || card.status === 'active') return undefined;
  const remedy = card.status === 'frozen' ? 'unfreeze it first' : 'choose another card';
  return refuse('card_not_active', `The card is ${card.status}, and only active cards are topped up: ${remedy}`);
}

function cardHasRoom({ type, amount }: OperationRequest, { card }: RequestFacts) {
  if (type !== 'topup' || card === undefined || card.balance + parseMoney(amount) <= maximumCardBalance)
    return undefined;
  const maximum = formatMoney(maximumCardBalance);
  return refuse('validation_failed', `The card's balance would exceed ${maximum}: send a smaller amount`);
}

function cardHasMoney({ type, amount }: OperationRequest, { card }: RequestFacts) {
  return type === 'unload' && card !== undefined ? refusalOfUnload(card, amount) : undefined;
}

/** A reservation of zero is not possible, even if the product has no minimum. */
const minReservation: Money = 1n;

function moneyOf(text: MoneyText | undefined): Money {
  return text === undefined ? 0n : parseMoney(text);
}

function largest(first: Money, ...others: readonly Money[]): Money {
  return others.reduce((max, next) => (next > max ? next : max), first);
}
