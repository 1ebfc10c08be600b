import { dropOldRequests, type Retention } from '@florin/kernel';

export type Outcome = 'captured' | 'released';

export interface Closing {
  readonly outcome: Outcome;
  readonly requestedAt: string | undefined;
}

interface Closings {
  readonly closed: Map<string, Closing>;
  horizon: string;
}

/**
 * Which closed reservations stay in the state: always the newest `min`, otherwise those of the last minutes, up to `max`.
 * Thousands of accounts are in memory at once, and each may have closed millions of reservations.
 */
export const retainedClosings: Retention = { min: 100, max: 10_000, forMs: 2 * 60_000 };

/** The orders of the newest open reservations: what a busy account reserves within seconds. Later the operation has its order. */
export const maxOrders = 20_000;

/** Drops closed reservations that were requested long before the one closed last, and moves the horizon past them. */
export function dropOldClosings(state: Closings, closedLast: string | undefined): void {
  dropOldRequests(state.closed, state, closedLast, retainedClosings);
}

export function dropOldest(entries: Map<string, unknown>): void {
  for (const oldest of entries.keys()) {
    entries.delete(oldest);
    return;
  }
}
