import type { IssuerResponse, Order, PersonalData, RevealPage } from '@florin/operations-domain';

/** The order as the issuer gets it. */
export interface IssuerRequest extends Pick<
  Order,
  'operationId' | 'type' | 'companyId' | 'productId' | 'amount' | 'cardId' | 'name' | 'recipient'
> {
  readonly currency: 'USD';
  /** Topup and unload: the issuer's id of the card. */
  readonly cardReference?: string;
  /** Issue only, and only if the issuer needs it. */
  readonly holder?: PersonalData & { readonly holderId: string };
}

/**
 * Executes operations. `execute` is called at most once per operation. Only a definite response is `accepted` or `declined`;
 * everything else, including failures before the first byte is sent, is `unknown`. It never rejects, and it resolves soon after
 * the signal aborts. `testing/issuer.contract.ts` verifies this for every adapter.
 */
export interface Issuer {
  /** Whether requests include the cardholder's personal data, which is sent only if needed. */
  readonly needsHolder: boolean;
  execute(request: IssuerRequest, signal: AbortSignal): Promise<IssuerResponse>;
  /** Requests a page that shows the number of a card. Absent if Florin serves the page. Like `execute`, it never rejects. */
  reveal?(request: RevealRequest, signal: AbortSignal): Promise<RevealResponse>;
}

/** A card whose details are to be shown. */
export interface RevealRequest {
  readonly companyId: string;
  readonly cardId: string;
  /** The issuer's id of the card. */
  readonly cardReference?: string;
}

/** The reason is safe to log and never contains text of the issuer. */
export type RevealResponse = { readonly page: RevealPage } | { readonly failure: string };

/** One issuer per environment. Without a live one, live operations are not accepted. */
export interface Issuers {
  readonly sandbox: Issuer;
  readonly live?: Issuer;
}

export const ISSUERS = Symbol('Issuers');
