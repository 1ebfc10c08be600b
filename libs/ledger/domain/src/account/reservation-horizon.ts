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
export const retainedClosings = { min: 100, max: 10_000, forMs: 2 * 60_000 } as const;

/** The orders of the newest open reservations: what a busy account reserves within seconds. Later the operation has its order. */
export const maxOrders = 20_000;

/**
 * Drops closed reservations that were requested long before the one closed last, and moves the horizon past them. Where the
 * time of a request is unknown, only `max` applies.
 */
export function dropOldClosings(state: Closings, closedLast: string | undefined): void {
  const { min, max, forMs } = retainedClosings;
  const recent = closedLast === undefined ? '' : new Date(Date.parse(closedLast) - forMs).toISOString();
  for (const [reservationId, { requestedAt }] of state.closed) {
    const isOld = requestedAt !== undefined && requestedAt < recent;
    if (state.closed.size <= (isOld ? min : max)) return;
    state.closed.delete(reservationId);
    if (requestedAt !== undefined && requestedAt > state.horizon) state.horizon = requestedAt;
  }
}

export function dropOldest(entries: Map<string, unknown>): void {
  for (const oldest of entries.keys()) {
    entries.delete(oldest);
    return;
  }
}
