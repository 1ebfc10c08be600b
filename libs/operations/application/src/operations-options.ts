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
  /** How many cards an individually verified company may order in a month and environment; 500 unless told. */
  readonly issuesPerMonth?: number;
  readonly watchdog?: WatchdogOptions;
  /** Hears of what goes wrong where nobody waits for an answer. */
  readonly log: SubscriptionLog;
  /** The pauses between attempts to store an issuer's answer. */
  readonly backoff?: Backoff;
  /** Makes a signal that aborts after so many milliseconds; a test has a time of its own. */
  readonly abortAfter?: (milliseconds: number) => AbortSignal;
}

/** How much is done at once in this process; see admission-control.ts. */
export interface AdmissionControlOptions {
  /** Operations that are moved on while many clients wait for an answer, and while none does. */
  readonly advancesWhenBusy: number;
  readonly advancesWhenIdle: number;
  readonly fewerPerRequest: number;
  /** How long new operations may wait for their turn before they count for more than requests. */
  readonly maxWaitMs: number;
}

export interface WatchdogOptions {
  readonly everyMs?: number;
  /** How long an operation may stand still before it is looked at. */
  readonly patienceMs?: number;
}

export const OPERATIONS_OPTIONS = Symbol('OperationsOptions');
