import { assert, formatMoney, type Money, type MoneyText, parseMoney, type Refusal, refuse } from '@florin/kernel';
import { maximumCardBalance } from '../card/card-payments';
import type { CardStatus } from '../card/card.messages';
import type { HolderStatus } from '../holder/holder.messages';
import type { Product, Quote } from '../product/product.messages';
import { quoteOf } from '../product/quote';
import type { OperationOrder } from './operation.messages';
import type { OperationWish, RequestRefusal } from './request.messages';

/** A request; a quote has neither a fingerprint nor an expected total. */
export type RequestToCheck = OperationWish & { readonly fingerprint?: string; readonly expectedTotal?: MoneyText };

/** What is known about whatever the request names. What is missing here does not exist. */
export interface RequestFacts {
  /** The operation that stands under the request's id. */
  readonly known?: { readonly fingerprint: string; readonly order: OperationOrder };
  readonly product?: Product;
  /** Issue only: the account's own holder. */
  readonly holder?: { readonly status: HolderStatus };
  /** Topup only. */
  readonly card?: {
    readonly accountId: string;
    readonly status: CardStatus;
    readonly productId: string;
    readonly balance: Money;
  };
  /** The smallest amounts of any product. */
  readonly minimums: { readonly issue: MoneyText; readonly topup: MoneyText };
}

/** The refusals that need no funds to be looked at. */
export type CheckRefusal = Exclude<RequestRefusal, 'quota_exceeded' | 'insufficient_funds'>;

export type CheckedRequest =
  /** This very request was granted before, with this order. */
  { readonly repeated: OperationOrder } | { readonly quote: Quote; readonly product: Product } | Refusal<CheckRefusal>;

type Check = (
  request: RequestToCheck,
  facts: RequestFacts,
  quote: Quote | undefined,
) => Refusal<CheckRefusal> | undefined;

/**
 * The order of precedence: of several things that are wrong, the first in this table is told. What does not exist comes
 * before what conflicts, and that before the rules of the business; only a product has to be there for a quote to differ.
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
];

/** Whether a request may go on to the funds, and at what price. Pure: the same request and facts, the same result. */
export function checkRequest(request: RequestToCheck, facts: RequestFacts): CheckedRequest {
  const { known, product } = facts;
  if (known !== undefined && known.fingerprint === request.fingerprint) return { repeated: known.order };
  const quote = product?.available === true ? quoteOf(product, request.type, request.amount) : undefined;
  for (const check of precedence) {
    const refusal = check(request, facts, quote);
    if (refusal !== undefined) return refusal;
  }
  assert(quote !== undefined && product !== undefined, 'a request that passes every check has a product and a price');
  return { quote, product };
}

function objectExists({ type, accountId }: RequestToCheck, { holder, card }: RequestFacts) {
  if (type === 'issue' && holder === undefined) {
    return refuse('not_found', 'There is no such holder: check holderId, or create the holder first');
  }
  if (type === 'topup' && card?.accountId !== accountId) {
    return refuse('not_found', 'There is no such card: check cardId, or issue the card first');
  }
  return undefined;
}

function idIsFree(_request: RequestToCheck, { known }: RequestFacts) {
  if (known === undefined) return undefined;
  return refuse(
    'idempotency_conflict',
    'This key was used before for another request: repeat that one unchanged, or send this one with a new key',
  );
}

function productIsOffered({ type, productId }: RequestToCheck, { product }: RequestFacts, quote?: Quote) {
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

function totalIsExpected({ expectedTotal }: RequestToCheck, _facts: RequestFacts, quote?: Quote) {
  if (quote === undefined || expectedTotal === undefined || expectedTotal === quote.total) return undefined;
  return refuse(
    'quote_changed',
    `The total is ${quote.total} now, not ${expectedTotal}: if you agree, send expectedTotal ${quote.total}`,
  );
}

function amountIsEnough({ type, amount }: RequestToCheck, { product, minimums }: RequestFacts) {
  const configured = type === 'service' ? undefined : minimums[type];
  const minimum = largest(smallestHold, moneyOf(configured), moneyOf(product?.minimumAmount));
  if (parseMoney(amount) >= minimum) return undefined;
  return refuse('amount_below_minimum', `amount ${amount} is too small: send at least ${formatMoney(minimum)}`);
}

function productIsThatOfTheCard({ type, productId }: RequestToCheck, { card }: RequestFacts) {
  if (type !== 'topup' || card === undefined || card.productId === productId) return undefined;
  return refuse('validation_failed', `The card is of product ${card.productId}: send that as productId`);
}

function holderIsActive({ type }: RequestToCheck, { holder }: RequestFacts) {
  if (type !== 'issue' || holder === undefined || holder.status === 'active') return undefined;
  const remedy = holder.status === 'pending' ? 'wait until the holder is active' : 'choose another holder';
  return refuse('holder_not_active', `The holder is ${holder.status}, and cards are for active holders: ${remedy}`);
}

function cardIsActive({ type }: RequestToCheck, { card }: RequestFacts) {
  if (type !== 'topup' || card === undefined || card.status === 'active') return undefined;
  const remedy = card.status === 'frozen' ? 'unfreeze it first' : 'choose another card';
  return refuse('card_not_active', `The card is ${card.status}, and only active cards are topped up: ${remedy}`);
}

function cardHasRoom({ type, amount }: RequestToCheck, { card }: RequestFacts) {
  if (type !== 'topup' || card === undefined || card.balance + parseMoney(amount) <= maximumCardBalance)
    return undefined;
  const maximum = formatMoney(maximumCardBalance);
  return refuse('validation_failed', `The card would hold more than ${maximum}: send a smaller amount`);
}

/** Nothing at all cannot be held, whatever a product says. */
const smallestHold: Money = 1n;

function moneyOf(text: MoneyText | undefined): Money {
  return text === undefined ? 0n : parseMoney(text);
}

function largest(first: Money, ...others: readonly Money[]): Money {
  return others.reduce((most, next) => (next > most ? next : most), first);
}
