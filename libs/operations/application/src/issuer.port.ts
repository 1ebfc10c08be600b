import type { IssuerAnswer, OperationType, PersonalData } from '@florin/operations-domain';
import type { MoneyText } from '@florin/kernel';

/** Everything an issuer needs to carry out one operation. */
export interface IssuerOrder {
  readonly operationId: string;
  readonly type: OperationType;
  readonly companyId: string;
  readonly productId: string;
  readonly amount: MoneyText;
  readonly currency: 'USD';
  /** Issue: the id the card will have here. Topup: the card's. */
  readonly cardId?: string;
  /** Topup: what the issuer called the card when it was issued. */
  readonly cardReference?: string;
  /** Issue only, and only where the issuer needs it. */
  readonly holder?: PersonalData & { readonly holderId: string };
  readonly name?: string;
  readonly recipient?: string;
}

/**
 * Whoever carries operations out. `execute` is called at most once for an operation, ever. Only a definite yes or no is
 * `accepted` or `declined`; everything else, also what goes wrong before the first byte is sent, is `unknown`. It does
 * not reject; it ends soon after the signal aborts. What every adapter promises stands in `testing/issuer.contract.ts`.
 */
export interface Issuer {
  /** Whether it has to know who will hold a card. Nobody is told of a person without need. */
  readonly needsHolder: boolean;
  execute(order: IssuerOrder, signal: AbortSignal): Promise<IssuerAnswer>;
}

/** One issuer per environment; without a live one, nothing live is accepted. */
export interface Issuers {
  readonly sandbox: Issuer;
  readonly live?: Issuer;
}

export const ISSUERS = Symbol('Issuers');
