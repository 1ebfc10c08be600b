import type { Command, DomainEvent, EventVersions, MoneyText } from '@florin/kernel';
import type { OperationType } from '../operation/operation.messages';

export const productKinds = ['card', 'service'] as const;
export type ProductKind = (typeof productKinds)[number];

/** `percent` is written as people say it: `0.2` is 0.2 %. */
export interface FeeTerms {
  readonly fixed: MoneyText;
  readonly percent: string;
}

export interface Product {
  readonly productId: string;
  readonly kind: ProductKind;
  readonly name: string;
  readonly currency: 'USD';
  /** What each type of operation costs; a type that is missing cannot be ordered. Cards: issue, topup. Services: service. */
  readonly fee: { readonly [Type in OperationType]?: FeeTerms };
  readonly minimumAmount: MoneyText;
  readonly available: boolean;
}

/** Sets the whole product, so that each request is carried out once: a late duplicate must not bring old terms back. */
export type DefineProduct = Command<'DefineProduct', Product & { readonly requestId: string }>;
export type ProductCommand = DefineProduct;
export const productCommandTypes = ['DefineProduct'] as const satisfies readonly ProductCommand['type'][];

/** Events from before there were request ids have none. */
export type ProductDefined = DomainEvent<'ProductDefined', Product & { readonly requestId?: string }>;
export type ProductEvent = ProductDefined;

export const productEventVersions: EventVersions<ProductEvent> = { ProductDefined: [] };

/** The definition contradicts itself; the message names what has to change. */
export type ProductRefusal = 'validation_failed';

export interface QuoteLine {
  readonly kind: 'amount' | 'fixed_fee' | 'percent_fee';
  readonly amount: MoneyText;
}

export interface Quote {
  readonly amount: MoneyText;
  readonly fee: MoneyText;
  readonly total: MoneyText;
  /** Adds up to the total. */
  readonly breakdown: readonly QuoteLine[];
}
