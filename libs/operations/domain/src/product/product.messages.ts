import { type Command, type DomainEvent, type EventVersions, type MoneyText, withoutRequestTime } from '@florin/kernel';
import type { PricedType } from '../operation/operation.messages';

export const productKinds = ['card', 'service'] as const;
export type ProductKind = (typeof productKinds)[number];

/** A `percent` of `0.2` is 0.2 %. */
export interface FeeTerms {
  readonly fixed: MoneyText;
  readonly percent: string;
}

export interface Product {
  readonly productId: string;
  readonly kind: ProductKind;
  readonly name: string;
  readonly currency: 'USD';
  /** The fee per operation type. A missing type cannot be ordered. Cards: issue, topup. Services: service. */
  readonly fee: { readonly [Type in PricedType]?: FeeTerms };
  readonly minimumAmount: MoneyText;
  readonly available: boolean;
}

/** Replaces the whole product. Applied once per request, so a late duplicate does not restore old terms. */
export type DefineProduct = Command<
  'DefineProduct',
  Product & { readonly requestId: string; readonly requestedAt?: string }
>;
export type ProductCommand = DefineProduct;
export const productCommandTypes = ['DefineProduct'] as const satisfies readonly ProductCommand['type'][];

/** Events of early releases have no request id, and older ones no time. */
export type ProductDefined = DomainEvent<
  'ProductDefined',
  Product & { readonly requestId?: string; readonly requestedAt?: string }
>;
export type ProductEvent = ProductDefined;

export const productEventVersions: EventVersions<ProductEvent> = { ProductDefined: [withoutRequestTime] };

export type ProductRefusal =
  /** The definition is invalid; the message names the required change. */
  | 'validation_failed'
  /** The request may have been accepted and forgotten. */
  | 'request_outdated';

export interface QuoteLine {
  readonly kind: 'amount' | 'fixed_fee' | 'percent_fee';
  readonly amount: MoneyText;
}

export interface Quote {
  readonly amount: MoneyText;
  readonly fee: MoneyText;
  readonly total: MoneyText;
  /** Its items add up to the total. */
  readonly breakdown: readonly QuoteLine[];
}
