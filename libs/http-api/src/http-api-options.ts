import type { MinimumAmounts } from '@florin/operations-domain';
import type { IncomingMessage } from 'node:http';

export const HTTP_API_OPTIONS = Symbol('HttpApiOptions');

/** The options that the composition sets. */
export interface HttpApiOptions {
  readonly operatorToken: string;
  /** Signs cursors. Must be the same on every replica. */
  readonly cursorSecret: string;
  readonly rateLimits: RateLimits;
  /** The public URL for the OpenAPI document and payment pages, without a trailing slash: `https://api.example.com`. */
  readonly baseUrl: string;
  readonly log: Log;
  /** Whether a live issuer is connected. Without one, live requests that need it are rejected. */
  readonly liveIssuer: boolean;
  /** Whether a TRON node is connected. Without one, live invoices are rejected. */
  readonly liveChain: boolean;
  /** The minimum amounts for all products. */
  readonly minimums: MinimumAmounts;
  /** From this amount on, two operators decide about reviews and adjustments; `0.00` if one is always sufficient. */
  readonly fourEyesAmount: string;
  /** The origins that may show the page with the details of a sandbox card in a frame. */
  readonly revealFrameOrigins?: readonly string[];
  /** Whether sandbox webhook endpoints may use loopback addresses. */
  readonly webhookAllowLoopback: boolean;
  /** The secret with which the live issuer signs callbacks. Without it, callbacks are rejected. */
  readonly issuerSecret?: string;
  /** Whether an unexpected error is a temporary outage: the response is then 503 instead of 500. */
  readonly isTransient?: (error: unknown) => boolean;
  /** Whether the path of a route exists on the port that received a request. The default is that all do. */
  readonly isServed?: (request: IncomingMessage, path: string) => boolean;
  /** Whether to log every request. The default is true. */
  readonly accessLog?: boolean;
}

export interface RateLimits {
  /** Requests per second of one company on all gateways; 0 turns off every limit of the environment. */
  readonly live: number;
  readonly sandbox: number;
  readonly statementsPerMinute?: number;
  /** Requests per second of one client address to pages that need no key; 0, the default, turns off the limit. */
  readonly pages?: number;
  /** How often gateways exchange what they have granted; 250 ms by default. */
  readonly exchangeEveryMs?: number;
}

/** The part of pino's interface that the API uses. */
export interface Log {
  debug(details: object, message: string): void;
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}
