import type { Command, Metadata, MoneyText } from '@florin/kernel';
import type { OperationType } from './operation.messages';

/** What a client requests. A quote has no operation id, fingerprint or expected total. */
export interface OperationRequest {
  readonly operationId?: string;
  readonly companyId: string;
  readonly companyKind: 'individual' | 'corporate';
  readonly environment: 'sandbox' | 'live';
  readonly accountId: string;
  readonly type: OperationType;
  /** Absent for an unload, which is of the card's product. */
  readonly productId?: string;
  readonly amount: MoneyText;
  readonly expectedTotal?: MoneyText;
  readonly holderId?: string;
  readonly cardId?: string;
  readonly name?: string;
  readonly recipient?: string;
  readonly metadata?: Metadata;
  readonly fingerprint?: string;
}

/**
 * Checks the request and reserves the funds, for an unload on the card; the operation follows from the reservation. Returns
 * the `Order`.
 */
export type RequestOperation = Command<
  'RequestOperation',
  OperationRequest & Required<Pick<OperationRequest, 'operationId' | 'fingerprint' | 'expectedTotal'>>
>;
/** Makes the same checks except quota and funds. Returns a `Quote`, and for a repeated `quoteId` the first one. */
export type QuoteOperation = Command<
  'QuoteOperation',
  OperationRequest & { readonly repeatable?: { readonly quoteId: string; readonly fingerprint: string } }
>;
/** Takes the next steps of an operation according to its state. Safe to send at any time. */
export type AdvanceOperation = Command<'AdvanceOperation', { readonly operationId: string }>;

/** In order of precedence; see operation-checks.ts. */
export type RequestRefusal =
  | 'not_found'
  | 'idempotency_conflict'
  | 'product_unavailable'
  | 'quote_changed'
  | 'amount_below_minimum'
  | 'validation_failed'
  | 'holder_not_active'
  | 'card_not_active'
  | 'insufficient_card_balance'
  | 'quota_exceeded'
  | 'insufficient_funds';
