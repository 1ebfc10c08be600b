import type { EventVersions, Json } from '@florin/kernel';
import type { FundsReserved } from '@florin/ledger-domain';
import type { Order, StrayHoldFound } from './operation.messages';
import type { OperationState } from './operation.state';

/*
 * A reservation precedes its operation and carries the order; both have the same id. docs/ARCHITECTURE.md lists the cases
 * under "Reservations that precede their operation". The requests to the ledger are in the application's order-reservations.ts.
 */

/** The ledger's event in the versions that operations understand. A newer one stops the process. */
export const fundsReservedVersions: EventVersions<FundsReserved> = {
  FundsReserved: [renamePurposeToOrder, withoutFee],
};

/** Version 1 had the order in the field `purpose`. */
function renamePurposeToOrder(data: Json): Json {
  const { purpose: order, ...reservation } = data as { readonly [key: string]: Json };
  return { ...reservation, order };
}

/** Version 2 had no fee. */
function withoutFee(data: Json): Json {
  return data;
}

/** The order in a reservation, or nothing if it was not created for an operation. */
export function orderIn({ reservationId, order }: Pick<FundsReserved['data'], 'reservationId' | 'order'>) {
  const candidate = order as Partial<Order> | null | undefined;
  return candidate?.operationId === reservationId ? (candidate as Order) : undefined;
}

/**
 * An operation ends after its reservation is closed. So an order that is newer than an ended operation's own is in a second
 * reservation, created after the first one passed the ledger's horizon: it is orphaned, and is released. An older order is a repeat.
 */
export function orphanedReservation(order: Order, state: OperationState): readonly StrayHoldFound[] {
  const { operationId, createdAt } = order;
  const isKnown = createdAt <= state.order!.createdAt || createdAt <= (state.orphanedReservation ?? '');
  return isKnown ? [] : [{ type: 'StrayHoldFound', data: { operationId, createdAt } }];
}

/**
 * Whether two orders with one id have reservations in two streams: on the account, or on a card each. No stream can reject the
 * second request, if it arrives before the operation of the first one is queued.
 */
export function isReservedElsewhere(order: Order, other: Order): boolean {
  return placeOf(order) !== placeOf(other);
}

function placeOf({ type, cardId }: Order): string | undefined {
  return type === 'unload' ? cardId : 'account';
}
