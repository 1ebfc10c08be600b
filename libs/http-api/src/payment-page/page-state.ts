import type { PayableInvoice } from '@florin/read-models';

/** The status of the invoice, and `closing` between its expiry and the block that proves that it was not paid. */
export type PageState = 'pending' | 'closing' | 'completed' | 'expired' | 'failed' | 'manual_review';

export function pageStateOf({ status, expiresAt }: PayableInvoice, now: Date): PageState {
  if (status === 'creating' || status === 'pending') return expiresAt <= now.toISOString() ? 'closing' : 'pending';
  return status;
}

/** What the payer reads. */
export const stateTexts: Readonly<Record<PageState, string>> = {
  pending: 'Waiting for the payment.',
  closing: 'The time to pay is over: do not send money now. A payment from before is still being confirmed.',
  completed: 'Paid. The payment has arrived.',
  expired: 'Expired without a payment. Do not send money to this address.',
  failed: 'This payment was not accepted. Do not send money to this address.',
  manual_review: 'A payment has arrived and is being checked. Do not send money again.',
};

/** The states that still change while the payer waits. */
export const changingStates: readonly PageState[] = ['pending', 'closing', 'manual_review'];
