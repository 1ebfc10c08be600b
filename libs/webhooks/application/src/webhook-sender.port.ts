/** One attempt at a delivery, complete and signed. */
export interface WebhookRequest {
  readonly url: string;
  readonly environment: 'sandbox' | 'live';
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes that were signed. */
  readonly body: Uint8Array;
}

/**
 * `acknowledged`: an answer with a 2xx, whole or as much of it as is read. `refused`: a whole answer with any other status.
 * `unreachable`: no whole answer in time. `forbidden`: we do not connect to where the address leads.
 */
export type SendOutcome = 'acknowledged' | 'refused' | 'unreachable' | 'forbidden';

export interface SendResult {
  readonly outcome: SendOutcome;
  readonly durationMs: number;
  readonly statusCode?: number;
  /** The beginning of the answer, at most 1 KiB. */
  readonly excerpt?: string;
  /** How long the receiver asks us to wait. */
  readonly retryAfterMs?: number;
  /** What went wrong, in words that the receiver's owner may read. */
  readonly error?: string;
}

/** Sends a request once. It does not reject, and ends soon after the signal aborts. It follows no redirect. */
export interface WebhookSender {
  send(request: WebhookRequest, signal?: AbortSignal): Promise<SendResult>;
}

export const WEBHOOK_SENDER = Symbol('WebhookSender');
