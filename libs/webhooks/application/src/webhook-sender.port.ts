/** The signed request of one attempt. */
export interface WebhookRequest {
  readonly url: string;
  readonly environment: 'sandbox' | 'live';
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes that were signed. */
  readonly body: Uint8Array;
}

/**
 * `acknowledged`: a response with a 2xx status. `refused`: a complete response with another status. `unreachable`: no
 * complete response in time. `forbidden`: the URL leads to an address that is not allowed.
 */
export type SendOutcome = 'acknowledged' | 'refused' | 'unreachable' | 'forbidden';

export interface SendResult {
  readonly outcome: SendOutcome;
  readonly durationMs: number;
  readonly statusCode?: number;
  /** The first 1 KiB of the response. */
  readonly excerpt?: string;
  /** The Retry-After of the response. */
  readonly retryAfterMs?: number;
  /** The error message, as shown to the owner of the endpoint. */
  readonly error?: string;
}

/** Sends a request once. Does not reject, follows no redirects, and ends soon after the signal aborts. */
export interface WebhookSender {
  send(request: WebhookRequest, signal?: AbortSignal): Promise<SendResult>;
}

export const WEBHOOK_SENDER = Symbol('WebhookSender');
