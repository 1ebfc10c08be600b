import { type Aggregate, assert, assertNever, formatMoney, type Json, parseMoney, refuse } from '@florin/kernel';
import { adjust } from './account-adjustments';
import { creditRefund, rememberRefund } from './account-refunds';
import {
  type AccountCommand,
  type AccountEvent,
  accountEventVersions,
  type AccountRefusal,
  type Balances,
  type CaptureReservation,
  type CreateReservation,
  type DepositFunds,
  type FoundReservation,
  type FundsReserved,
  type Quota,
  type ReleaseReservation,
  type ReservationReleased,
} from './account.messages';
import {
  type AccountState,
  balances,
  type Decision,
  initialAccount,
  limitExceeded,
  maximumBalance,
  type OpenReservation,
} from './account.state';
import { dropOldClosings, dropOldest, maxOrders, type Outcome, retainedClosings } from './reservation-horizon';

export const accountAggregate: Aggregate<AccountState, AccountCommand, AccountEvent, AccountRefusal, Json> = {
  category: 'account',
  stateVersion: 5,
  versions: accountEventVersions,

  initialState: initialAccount,

  decide: (command, state) => {
    switch (command.type) {
      case 'DepositFunds':
        return deposit(command, state);
      case 'CreateReservation':
        return reserve(command, state);
      case 'CaptureReservation':
        return capture(command, state);
      case 'ReleaseReservation':
        return release(command, state);
      case 'AdjustAccount':
        return adjust(command, state);
      case 'CreditRefund':
        return creditRefund(command, state);
      default:
        return assertNever(command);
    }
  },

  evolve: (state, event) => {
    const { data } = event;
    state.available = parseMoney(data.after.available);
    state.held = parseMoney(data.after.held);
    switch (event.type) {
      case 'FundsDeposited':
        state.deposits.set(event.data.depositId, event.data.fingerprint);
        return state;
      case 'FundsReserved':
        open(state, event.data);
        count(state, event.data.quota, 1);
        return state;
      case 'ReservationCaptured':
        close(state, event.data.reservationId, 'captured');
        return state;
      case 'ReservationReleased':
        close(state, event.data.reservationId, 'released');
        count(state, event.data.quota, -1);
        return state;
      case 'AccountAdjusted':
        state.adjustments.set(event.data.adjustmentId, event.data.fingerprint);
        return state;
      case 'FundsRefunded':
        rememberRefund(state, event.data);
        return state;
      default:
        return assertNever(event);
    }
  },

  answer: accountAnswer,
};

function deposit({ data }: DepositFunds, state: AccountState): Decision {
  const known = state.deposits.get(data.depositId);
  if (known === data.fingerprint) return [];
  if (known !== undefined) return refuse('idempotency_conflict', 'This deposit exists with different data');
  const amount = parseMoney(data.amount);
  const fee = parseMoney(data.fee);
  if (amount === 0n) return refuse('deposit_of_nothing', 'amount must be at least 0.01.');
  assert(
    amount > 0n && fee >= 0n && fee <= amount,
    () => `deposit ${data.depositId} of ${data.amount} with fee ${data.fee}`,
  );
  const available = state.available + amount - fee;
  if (available + state.held > maximumBalance) return limitExceeded('deposit');
  const { depositId, reference, description, fingerprint } = data;
  const after = balances(available, state.held);
  const facts = { depositId, reference, amount: data.amount, fee: data.fee, description, fingerprint, after };
  return [{ type: 'FundsDeposited', data: facts }];
}

/**
 * A closed or older reservation has no fingerprint to compare with. Its existence is enough: no money moves, and its operation
 * has the order. A request from before the horizon may repeat a reservation that was dropped, so it never reserves funds.
 */
function reserve({ data }: CreateReservation, state: AccountState): Decision {
  const { reservationId, fingerprint, quota, requestedAt } = data;
  const known = state.orders.get(reservationId);
  if (known !== undefined && known.fingerprint !== fingerprint) {
    return refuse('idempotency_conflict', 'This reservation exists with different data');
  }
  if (state.open.has(reservationId) || state.closed.has(reservationId)) return [];
  if (requestedAt <= state.horizon) {
    return refuse(
      'reservation_outdated',
      `Reservation ${reservationId} of ${requestedAt} is too old; request it again`,
    );
  }
  const amount = parseMoney(data.amount);
  const { fee } = data;
  const isFeePart = fee === undefined || (parseMoney(fee) >= 0n && parseMoney(fee) <= amount);
  assert(amount > 0n && isFeePart, () => `reservation ${reservationId} of ${data.amount} with fee ${fee}`);
  if (quota !== undefined && (state.quotas.get(quota.name) ?? 0) >= quota.limit) {
    return refuse(
      'quota_exceeded',
      `The limit of ${quota.limit} for "${quota.name}" is reached; wait for the next period, or until one is released`,
    );
  }
  if (amount > state.available) {
    const available = formatMoney(state.available);
    return refuse(
      'insufficient_funds',
      `${data.amount} is needed and ${available} is available; fund the account first`,
    );
  }
  const { reference, description, order } = data;
  const after = balances(state.available - amount, state.held + amount);
  const reservation = { reservationId, reference, amount: data.amount, fee, description, fingerprint, order, quota };
  return [{ type: 'FundsReserved', data: { requestedAt, after, ...reservation } }];
}

function capture({ data }: CaptureReservation, state: AccountState): Decision {
  const reservation = state.open.get(data.reservationId);
  if (reservation === undefined) return settled(state, data.reservationId, 'captured');
  const after = balances(state.available, state.held - parseMoney(reservation.amount));
  const { fee } = reservation;
  return [{ type: 'ReservationCaptured', data: { ...closing(data.reservationId, reservation, after), fee } }];
}

function release({ data }: ReleaseReservation, state: AccountState): Decision {
  const reservation = state.open.get(data.reservationId);
  if (reservation === undefined) return settled(state, data.reservationId, 'released');
  const amount = parseMoney(reservation.amount);
  const after = balances(state.available + amount, state.held - amount);
  return [{ type: 'ReservationReleased', data: closing(data.reservationId, reservation, after) }];
}

/** The reservation is not open: the same outcome is a repeat, the opposite one is rejected. */
function settled(state: AccountState, reservationId: string, requested: Outcome): Decision {
  const outcome = state.closed.get(reservationId)?.outcome;
  if (outcome === undefined) return refuse('reservation_unknown', `There is no reservation ${reservationId}`);
  if (outcome === requested) return [];
  return refuse(`reservation_${outcome}`, `The reservation ${reservationId} was ${outcome} already`);
}

function closing(
  reservationId: string,
  { reference, amount, description, quota }: OpenReservation,
  after: Balances,
): ReservationReleased['data'] {
  return { reservationId, reference, amount, description, quota, after };
}

function open(state: AccountState, reserved: FundsReserved['data']): void {
  const { reservationId, amount, fee, description, quota, fingerprint, order, requestedAt } = reserved;
  // The two are usually equal; sharing one string halves the memory.
  const reference = reserved.reference === reservationId ? reservationId : reserved.reference;
  state.open.set(reservationId, { reference, amount, fee, description, quota, requestedAt });
  state.orders.set(reservationId, { fingerprint, order: withoutMetadata(order) });
  if (state.orders.size > maxOrders) dropOldest(state.orders);
}

/** Repeated requests do not need metadata, which can be much longer than the rest of an order. */
function withoutMetadata(order: Json | undefined): Json | undefined {
  if (typeof order !== 'object' || order === null || !('metadata' in order)) return order;
  const { metadata: _, ...rest } = order as { readonly [name: string]: Json };
  return rest;
}

function close(state: AccountState, reservationId: string, outcome: Outcome): void {
  const requestedAt = state.open.get(reservationId)?.requestedAt;
  state.open.delete(reservationId);
  state.orders.delete(reservationId);
  state.closed.set(reservationId, { outcome, requestedAt });
  if (state.closed.size > retainedClosings.min) dropOldClosings(state, requestedAt);
}

function count(state: AccountState, quota: Quota | undefined, change: 1 | -1): void {
  if (quota === undefined) return;
  const taken = (state.quotas.get(quota.name) ?? 0) + change;
  if (taken > 0) state.quotas.set(quota.name, taken);
  else state.quotas.delete(quota.name);
}

/** Of two requests that race for one reservation, the second gets the order of the first. */
export function accountAnswer(state: AccountState, { type, data }: AccountCommand, repeated: boolean): Json {
  if (!repeated || type !== 'CreateReservation') return null;
  return findReservation(state, data.reservationId).order;
}

export function findReservation({ open, closed, orders }: AccountState, reservationId: string): FoundReservation {
  if (!open.has(reservationId)) return { status: closed.has(reservationId) ? 'closed' : 'unknown', order: null };
  return { status: 'open', order: orders.get(reservationId)?.order ?? null };
}
