import type { Backoff, SubscriptionLog } from '@florin/event-sourcing';
import type { MoneyText } from '@florin/kernel';

export interface OperationsOptions {
  /** How long an issuer may take for one call. After it the outcome is unknown, and the operation goes to review. */
  readonly issuerTimeoutMs: number;
  /** How many issuer calls may be under way at once in this process, in each environment. */
  readonly issuerConcurrency: number;
  readonly admission?: AdmissionControlOptions;
  /** The smallest amounts of any product. */
  readonly minimums: { readonly issue: MoneyText; readonly topup: MoneyText };
  /** How many cards an individually verified company may order in a month and environment; 500 by default. */
  readonly issuesPerMonth?: number;
  readonly watchdog?: WatchdogOptions;
  readonly log: SubscriptionLog;
  /** The pauses between attempts to store an issuer response. */
  readonly backoff?: Backoff;
  /** Creates a signal that aborts after this time. Tests use a simulated clock. */
  readonly abortAfter?: (milliseconds: number) => AbortSignal;
}

/** How much is done at once in this process; see admission-control.ts. */
export interface AdmissionControlOptions {
  /** Concurrent operations under many waiting requests, and without any. */
  readonly advancesWhenBusy: number;
  readonly advancesWhenIdle: number;
  readonly fewerPerRequest: number;
  /** How long new operations may wait before they take precedence over requests. */
  readonly maxWaitMs: number;
}

export interface WatchdogOptions {
  readonly everyMs?: number;
  /** How long an operation may be unchanged before it is resumed. */
  readonly stalledAfterMs?: number;
}

export const OPERATIONS_OPTIONS = Symbol('OperationsOptions');
