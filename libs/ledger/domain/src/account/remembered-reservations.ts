export type Outcome = 'captured' | 'released';

export interface Closing {
  readonly outcome: Outcome;
  readonly requestedAt: string | undefined;
}

interface Closings {
  readonly closed: Map<string, Closing>;
  forgottenUntil: string;
}

/**
 * Of closed reservations: always the newest few, and otherwise those of the last minutes, up to a number. Thousands of
 * accounts are in memory at once, and each may have millions of reservations behind it.
 */
export const rememberedClosings = { least: 100, most: 10_000, forMs: 2 * 60_000 } as const;

/** What a busy account takes within some seconds. Later on, whoever owns a reservation knows what it is for. */
export const rememberedPurposes = 20_000;

/** Those that were asked for long before the one that was closed last. Where a time is not known, only their number counts. */
export function forgetClosings(state: Closings, closedLast: string | undefined): void {
  const { least, most, forMs } = rememberedClosings;
  const recent = closedLast === undefined ? '' : new Date(Date.parse(closedLast) - forMs).toISOString();
  for (const [reservationId, { requestedAt }] of state.closed) {
    const isOld = requestedAt !== undefined && requestedAt < recent;
    if (state.closed.size <= (isOld ? least : most)) return;
    state.closed.delete(reservationId);
    if (requestedAt !== undefined && requestedAt > state.forgottenUntil) state.forgottenUntil = requestedAt;
  }
}

export function forgetOldest(entries: Map<string, unknown>): void {
  for (const oldest of entries.keys()) {
    entries.delete(oldest);
    return;
  }
}
