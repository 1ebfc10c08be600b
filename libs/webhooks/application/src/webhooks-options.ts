import type { Backoff, SubscriptionLog } from '@florin/event-sourcing';

export interface WebhooksOptions {
  /** Hears of what goes wrong where nobody waits for an answer. */
  readonly log: SubscriptionLog;
  readonly dispatcher?: DispatcherOptions;
  /** The pauses between attempts to reach the queue. */
  readonly backoff?: Backoff;
  /** From 0 to 1; chance unless told. */
  readonly random?: () => number;
}

export interface DispatcherOptions {
  /** How many attempts may be under way at once in this process; 256 unless told. */
  readonly slots?: number;
  /** How many of them at one endpoint; 8 unless told. */
  readonly perEndpoint?: number;
  /** How long to wait for attempts under way when the application ends; 5 s unless told. */
  readonly patienceMs?: number;
  /**
   * How long a claimed delivery belongs to the process that claimed it; 60 s by default. A third of it must exceed the
   * duration of an attempt, so that clock differences and a slow database cause no second delivery.
   */
  readonly leaseMs?: number;
  /** How long an attempt may take before its endpoint counts as slow; 1 s unless told. */
  readonly slowMs?: number;
  /** How long ago an endpoint may have been read when an attempt at it begins; 1 s unless told. */
  readonly freshMs?: number;
}

export const WEBHOOKS_OPTIONS = Symbol('WebhooksOptions');
