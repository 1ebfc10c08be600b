import type { Log } from './log';
import type { RateLimits } from './rate-limit/rate-limits';

export const HTTP_API_OPTIONS = Symbol('HttpApiOptions');

/** What the composition decides. */
export interface HttpApiOptions {
  readonly operatorToken: string;
  /** Signs cursors. The same on every replica, or a next page would depend on luck. */
  readonly cursorSecret: string;
  readonly rateLimits: RateLimits;
  /** Where clients reach us, for the reference: `https://api.example.com`, without a slash at the end. */
  readonly baseUrl: string;
  readonly log: Log;
  /** Whether an issuer is connected to live. Without one, nothing that needs it is accepted there. */
  readonly liveIssuer: boolean;
  /** Whether the chain is connected on which live invoices are paid. Without it, none is accepted. */
  readonly liveChain: boolean;
  /** Whether webhook endpoints of the sandbox may be on the machine we run on. */
  readonly webhookAllowLoopback: boolean;
  /** What the live issuer signs its callbacks with; without it, none is taken. */
  readonly issuerSecret?: string;
  /** Whether an unexpected error is an outage that will pass, so that the answer is 503 and not 500. */
  readonly isTransient?: (error: unknown) => boolean;
  /** One line per request, for debugging unless it was refused or failed; on unless this is false. */
  readonly accessLog?: boolean;
}
