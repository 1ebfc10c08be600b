import type { Json } from '@florin/kernel';
import type { AccountState } from './account.decider';
import type { AccountCommand, ReservationView } from './account.messages';

/** Two requests may race to one reservation. Whoever comes second learns what the first one made it for. */
export function accountAnswer(state: AccountState, { type, data }: AccountCommand, repeated: boolean): Json {
  if (!repeated || type !== 'ReserveFunds') return null;
  return reservationIn(state, data.reservationId).purpose;
}

export function reservationIn({ open, closed, purposes }: AccountState, reservationId: string): ReservationView {
  if (!open.has(reservationId)) return { status: closed.has(reservationId) ? 'closed' : 'unknown', purpose: null };
  return { status: 'open', purpose: purposes.get(reservationId)?.purpose ?? null };
}
