import type { MoneyText } from '@florin/kernel';

export const cardStatuses = ['pending', 'active', 'frozen', 'blocked', 'closed', 'expired'] as const;
export type CardStatus = (typeof cardStatuses)[number];

/** The money on a card. `available` is less by the pending authorizations and reserved unloads. */
export interface CardMoney {
  readonly balance: MoneyText;
  readonly available: MoneyText;
}

/**
 * The money on a card after an event. Events of the first release have no `balance`: it is `available` and what pending
 * authorizations hold.
 */
export type MoneyAfter = Pick<CardMoney, 'available'> & Partial<CardMoney>;

/** Only these, or all but these. */
export type AllowOrDeny = { readonly allow: readonly string[] } | { readonly deny: readonly string[] };

/** What may be spent with a card. Days and months are UTC. */
export interface CardLimits {
  readonly perTransaction?: MoneyText;
  readonly daily?: MoneyText;
  readonly monthly?: MoneyText;
  /** ISO 18245, four digits. */
  readonly merchantCategories?: AllowOrDeny;
  /** ISO 3166-1 alpha-2. */
  readonly countries?: AllowOrDeny;
}

/** Null removes a limit; absent ones stay. */
export type LimitChanges = { readonly [Name in keyof CardLimits]: CardLimits[Name] | null };
