import type { Backoff, SubscriptionLog } from '@florin/event-sourcing';

export interface WebhooksOptions {
  /** Receives the errors of background work. */
  readonly log: SubscriptionLog;
  readonly dispatcher?: DispatcherOptions;
  readonly recovery?: RecoveryOptions;
  readonly retention?: RetentionOptions;
  /** The delays between attempts to reach the queue. */
  readonly backoff?: Backoff;
  /** From 0 to 1; `Math.random` by default. */
  readonly random?: () => number;
}

export interface DispatcherOptions {
  /** The number of concurrent attempts of this process; 256 by default. */
  readonly slots?: number;
  /** The number of concurrent attempts at one endpoint; 8 by default. */
  readonly perEndpoint?: number;
  /** How long shutdown waits for attempts in flight; 5 s by default. */
  readonly graceMs?: number;
  /**
   * How long a claimed delivery belongs to the process that claimed it; 60 s by default. A third of it must exceed the
   * duration of an attempt, so that clock differences and a slow database cause no second delivery.
   */
  readonly leaseMs?: number;
  /** The duration after which an attempt marks its endpoint as slow; 1 s by default. */
  readonly slowMs?: number;
  /** The maximum age of an endpoint's target when an attempt starts; 1 s by default. */
  readonly freshMs?: number;
}

export interface RecoveryOptions {
  /** The pause between polls for recoveries; 500 ms by default. */
  readonly everyMs?: number;
  /** The number of pending deliveries of one endpoint that recoveries have created; 1,000 by default. */
  readonly maxPending?: number;
  /** The number of deliveries that recoveries add for one endpoint in a second; 100 by default. */
  readonly perSecond?: number;
}

export interface RetentionOptions {
  /** The age at which events and finished deliveries are purged; they are kept without it. */
  readonly days?: number;
  /** The pause between purges; a minute by default. */
  readonly everyMs?: number;
}

/** The time before which events and deliveries are purged, if they are. */
export function oldestRetained({ retention }: WebhooksOptions, now: Date): Date | undefined {
  return retention?.days === undefined ? undefined : new Date(now.getTime() - retention.days * dayMs);
}

const dayMs = 24 * 60 * 60 * 1000;

export const WEBHOOKS_OPTIONS = Symbol('WebhooksOptions');
