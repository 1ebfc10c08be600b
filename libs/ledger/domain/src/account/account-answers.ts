import type { Json } from '@florin/kernel';
import type { AccountState } from './account.decider';
import type { AccountCommand, FoundReservation } from './account.messages';

/** Of two requests that race for one reservation, the second gets the order of the first. */
export function accountAnswer(state: AccountState, { type, data }: AccountCommand, repeated: boolean): Json {
  if (!repeated || type !== 'CreateReservation') return null;
  return findReservation(state, data.reservationId).order;
}

export function findReservation({ open, closed, orders }: AccountState, reservationId: string): FoundReservation {
  if (!open.has(reservationId)) return { status: closed.has(reservationId) ? 'closed' : 'unknown', order: null };
  return { status: 'open', order: orders.get(reservationId)?.order ?? null };
}
