import type { Command, Metadata, MoneyText } from '@florin/kernel';
import type { OperationType } from './operation.messages';

/** Whose account an operation is for. */
interface Owner {
  readonly companyId: string;
  readonly companyKind: 'individual' | 'corporate';
  readonly environment: 'sandbox' | 'live';
  readonly accountId: string;
}

/** What a client requests. A quote has no operation id, fingerprint or expected total. */
export interface OperationRequest extends Owner {
  readonly operationId?: string;
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
/**
 * Several requests of one account, with different operation ids. Each is decided as if it were sent alone, in this order.
 * Returns a reply for each.
 */
export type RequestOperations = Command<
  'RequestOperations',
  Owner & { readonly requests: readonly Omit<RequestOperation['data'], keyof Owner>[] }
>;

export function requestsIn({ data }: RequestOperations): readonly RequestOperation['data'][] {
  const { companyId, companyKind, environment, accountId } = data;
  return data.requests.map((request) => ({ companyId, companyKind, environment, accountId, ...request }));
}

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

/** Of a bulk request. `unavailable`: this request failed, and the others have their outcome. Its own outcome is unknown. */
export type BulkRequestRefusal = RequestRefusal | 'unavailable';
