import type { Backoff, SubscriptionLog } from '@florin/event-sourcing';
import type { MinimumAmounts } from '@florin/operations-domain';

export interface OperationsOptions {
  /** The timeout of an issuer call. Afterwards the outcome is unknown and the operation goes to review. */
  readonly issuerTimeoutMs: number;
  /** The maximum of concurrent issuer calls of this process, per environment. */
  readonly issuerConcurrency: number;
  readonly admission?: AdmissionControlOptions;
  readonly minimums: MinimumAmounts;
  /** How many cards a company of the kind individual may order per month and environment; 500 by default. */
  readonly maxIssuesPerMonth?: number;
  readonly watchdog?: WatchdogOptions;
  readonly log: SubscriptionLog;
  /** The pauses between attempts to store an issuer response. */
  readonly backoff?: Backoff;
  /** Creates a signal that aborts after this time. Tests use a simulated clock. */
  readonly abortAfter?: (milliseconds: number) => AbortSignal;
}

/** The concurrency limits of this process; see admission-control.ts. */
export interface AdmissionControlOptions {
  /** Concurrent operations under many waiting requests, and without any. */
  readonly advancesWhenBusy: number;
  readonly advancesWhenIdle: number;
  readonly fewerPerRequest: number;
  /** How long new operations may wait before they take precedence over requests. */
  readonly maxWaitMs: number;
}

export interface WatchdogOptions {
  /** A third of `stalledAfterMs` by default. */
  readonly everyMs?: number;
  /** How long an operation may be unchanged before it is resumed. */
  readonly stalledAfterMs?: number;
}

export const OPERATIONS_OPTIONS = Symbol('OperationsOptions');
