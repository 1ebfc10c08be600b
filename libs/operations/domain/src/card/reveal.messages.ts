import type { Command } from '@florin/kernel';

/** Requests the address of a page on which the cardholder sees the card's number. Changes nothing. */
export type RevealCard = Command<'RevealCard', { readonly cardId: string; readonly accountId: string }>;

export type RevealRefusal =
  | 'not_found'
  | 'card_not_active'
  /** The issuer did not return a page. */
  | 'reveal_unavailable';

export interface RevealPage {
  readonly url: string;
  readonly expiresAt: string;
}

export interface RevealAnswer {
  readonly last4: string;
  /** The page of the issuer. Absent in the sandbox, where the gateway serves the page. */
  readonly page?: RevealPage;
}
