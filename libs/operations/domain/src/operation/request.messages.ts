import type { Command, MoneyText } from '@florin/kernel';
import type { OperationOrder, OperationType } from './operation.messages';

/** What a client asks for, in both quotes and operations. */
export interface OperationWish {
  readonly companyId: string;
  readonly companyKind: 'individual' | 'corporate';
  readonly environment: 'sandbox' | 'live';
  readonly accountId: string;
  readonly type: OperationType;
  readonly productId: string;
  readonly amount: MoneyText;
  readonly holderId?: string;
  readonly cardId?: string;
  readonly name?: string;
  readonly recipient?: string;
}

/** Checks everything and holds the funds; the operation follows from the hold. Keyed by account. Answers with `RequestAnswer`. */
export type RequestOperation = Command<
  'RequestOperation',
  OperationWish & { readonly operationId: string; readonly fingerprint: string; readonly expectedTotal: MoneyText }
>;
/** The same checks without the funds, and nothing happens. Answers with `Quote`: under a key, always with the first one. */
export type QuoteOperation = Command<
  'QuoteOperation',
  OperationWish & { readonly repeatable?: { readonly quoteId: string; readonly fingerprint: string } }
>;
/** Does whatever has to happen next with an operation, as its state tells; harmless at any time. */
export type AdvanceOperation = Command<'AdvanceOperation', { readonly operationId: string }>;

/** What was agreed on. A client is told no more of it than this. */
export type RequestAnswer = Pick<OperationOrder, 'operationId' | 'type' | 'amount' | 'fee' | 'total' | 'createdAt'>;

/** In the order in which they are looked for; see operation-checks.ts. */
export type RequestRefusal =
  | 'not_found'
  | 'idempotency_conflict'
  | 'product_unavailable'
  | 'quote_changed'
  | 'amount_below_minimum'
  | 'validation_failed'
  | 'holder_not_active'
  | 'card_not_active'
  | 'quota_exceeded'
  | 'insufficient_funds';
