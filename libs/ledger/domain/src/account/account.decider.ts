import {
  type Aggregate,
  assert,
  assertNever,
  formatMoney,
  type Json,
  type Money,
  parseMoney,
  type Refusal,
  refuse,
} from '@florin/kernel';
import {
  type AccountCommand,
  type AccountEvent,
  accountEventVersions,
  type AccountRefusal,
  type Balances,
  type CaptureReservation,
  type ClosedReservation,
  type CreateReservation,
  type DepositFunds,
  type FoundReservation,
  type FundsReserved,
  type Quota,
  type ReleaseReservation,
} from './account.messages';
import {
  type Closing,
  dropOldClosings,
  dropOldest,
  maxOrders,
  type Outcome,
  retainedClosings,
} from './reservation-horizon';

type OpenReservation = Omit<ClosedReservation, 'reservationId'> & Pick<FundsReserved['data'], 'requestedAt'>;

export interface AccountState {
  available: Money;
  held: Money;
  /** The fingerprints of all deposits, so each deposit id is credited once. */
  readonly deposits: Map<string, string>;
  /** There can be very many, so an entry has only what capture and release need. */
  readonly open: Map<string, OpenReservation>;
  /** The orders of the newest open reservations, oldest first: what repeated requests are compared with. */
  readonly orders: Map<string, Pick<FundsReserved['data'], 'fingerprint' | 'order'>>;
  /** The outcomes of the newest closed reservations, oldest first. */
  readonly closed: Map<string, Closing>;
  /** The reservation horizon: closed reservations requested up to this time may be missing from `closed`. */
  horizon: string;
  /** The number of reservations under each quota, without released ones. Names with none are removed. */
  readonly quotas: Map<string, number>;
}

/** 10^15 dollars: far above realistic balances and far below the limit of the read model's column. */
export const maximumBalance: Money = 10n ** 17n;

export const accountAggregate: Aggregate<AccountState, AccountCommand, AccountEvent, AccountRefusal, Json> = {
  category: 'account',
  stateVersion: 2,
  versions: accountEventVersions,

  initialState: () => ({
    available: 0n,
    held: 0n,
    deposits: new Map(),
    open: new Map(),
    orders: new Map(),
    closed: new Map(),
    horizon: '',
    quotas: new Map(),
  }),

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
      default:
        return assertNever(event);
    }
  },

  answer: accountAnswer,
};

type Decision = readonly AccountEvent[] | Refusal<AccountRefusal>;

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
  if (available + state.held > maximumBalance) {
    const limit = formatMoney(maximumBalance);
    return refuse('account_limit_exceeded', `The balance would exceed ${limit}; deposit a smaller amount`);
  }
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
  assert(amount > 0n, () => `reservation ${reservationId} of ${data.amount}`);
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
  const reservation = { reservationId, reference, amount: data.amount, description, fingerprint, order, quota };
  return [{ type: 'FundsReserved', data: { requestedAt, after, ...reservation } }];
}

function capture({ data }: CaptureReservation, state: AccountState): Decision {
  const reservation = state.open.get(data.reservationId);
  if (reservation === undefined) return settled(state, data.reservationId, 'captured');
  const after = balances(state.available, state.held - parseMoney(reservation.amount));
  return [{ type: 'ReservationCaptured', data: closing(data.reservationId, reservation, after) }];
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
): ClosedReservation & { readonly after: Balances } {
  return { reservationId, reference, amount, description, quota, after };
}

function open(state: AccountState, reserved: FundsReserved['data']): void {
  const { reservationId, amount, description, quota, fingerprint, order, requestedAt } = reserved;
  // The two are usually equal; sharing one string halves the memory.
  const reference = reserved.reference === reservationId ? reservationId : reserved.reference;
  state.open.set(reservationId, { reference, amount, description, quota, requestedAt });
  state.orders.set(reservationId, { fingerprint, order });
  if (state.orders.size > maxOrders) dropOldest(state.orders);
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

function balances(available: Money, held: Money): Balances {
  assert(available >= 0n && held >= 0n, () => `balances ${available} available and ${held} held`);
  return { available: formatMoney(available), held: formatMoney(held) };
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
