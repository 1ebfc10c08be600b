import {
  assert,
  assertNever,
  type Decider,
  formatMoney,
  type Money,
  parseMoney,
  type Refusal,
  refuse,
} from '@florin/kernel';
import type {
  AccountCommand,
  AccountEvent,
  AccountRefusal,
  Balances,
  CaptureReservation,
  DepositFunds,
  FundsReserved,
  ReleaseReservation,
  ReserveFunds,
} from './account.messages';

type ReservationData = Omit<FundsReserved['data'], 'after'>;

export interface AccountState {
  available: Money;
  held: Money;
  /** Fingerprints of all deposits ever: a deposit's id is good for one credit, however late it is repeated. */
  readonly deposits: Map<string, string>;
  readonly open: Map<string, ReservationData>;
  readonly closed: Map<string, ReservationData & { readonly outcome: 'captured' | 'released' }>;
}

/** A thousand million million dollars: far beyond use, and far below what a column of the read model can hold. */
export const maximumBalance: Money = 10n ** 17n;

export const accountDecider: Decider<AccountState, AccountCommand, AccountEvent, AccountRefusal> = {
  category: 'account',

  initialState: () => ({ available: 0n, held: 0n, deposits: new Map(), open: new Map(), closed: new Map() }),

  decide: (command, state) => {
    switch (command.type) {
      case 'DepositFunds':
        return deposit(command, state);
      case 'ReserveFunds':
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
        state.open.set(event.data.reservationId, event.data);
        return state;
      case 'ReservationCaptured':
        return close(state, event.data, 'captured');
      case 'ReservationReleased':
        return close(state, event.data, 'released');
      default:
        return assertNever(event);
    }
  },
};

type Decision = readonly AccountEvent[] | Refusal<AccountRefusal>;

function deposit({ data }: DepositFunds, state: AccountState): Decision {
  const known = state.deposits.get(data.depositId);
  if (known === data.fingerprint) return [];
  if (known !== undefined) return refuse('idempotency_conflict', 'This deposit was made before with other data');
  const amount = parseMoney(data.amount);
  const fee = parseMoney(data.fee);
  assert(
    amount > 0n && fee >= 0n && fee <= amount,
    () => `deposit ${data.depositId} of ${data.amount} with fee ${data.fee}`,
  );
  const available = state.available + amount - fee;
  if (available + state.held > maximumBalance) {
    const limit = formatMoney(maximumBalance);
    return refuse('account_limit_exceeded', `The account would hold more than ${limit}; deposit a smaller amount`);
  }
  const { depositId, reference, description, fingerprint } = data;
  const after = balances(available, state.held);
  const facts = { depositId, reference, amount: data.amount, fee: data.fee, description, fingerprint, after };
  return [{ type: 'FundsDeposited', data: facts }];
}

function reserve({ data }: ReserveFunds, state: AccountState): Decision {
  const known = state.open.get(data.reservationId) ?? state.closed.get(data.reservationId);
  if (known !== undefined) {
    if (known.amount === data.amount && known.reference === data.reference) return [];
    return refuse('idempotency_conflict', 'This reservation was made before with other data');
  }
  const amount = parseMoney(data.amount);
  assert(amount > 0n, () => `reservation ${data.reservationId} of ${data.amount}`);
  if (amount > state.available) {
    const available = formatMoney(state.available);
    return refuse(
      'insufficient_funds',
      `${data.amount} is needed and ${available} is available; fund the account first`,
    );
  }
  const after = balances(state.available - amount, state.held + amount);
  return [{ type: 'FundsReserved', data: { ...facts(data), after } }];
}

function capture({ data }: CaptureReservation, state: AccountState): Decision {
  const reservation = state.open.get(data.reservationId);
  if (reservation === undefined) return settled(state, data.reservationId, 'captured');
  const after = balances(state.available, state.held - parseMoney(reservation.amount));
  return [{ type: 'ReservationCaptured', data: { ...facts(reservation), after } }];
}

function release({ data }: ReleaseReservation, state: AccountState): Decision {
  const reservation = state.open.get(data.reservationId);
  if (reservation === undefined) return settled(state, data.reservationId, 'released');
  const amount = parseMoney(reservation.amount);
  const after = balances(state.available + amount, state.held - amount);
  return [{ type: 'ReservationReleased', data: { ...facts(reservation), after } }];
}

/** A reservation that is not open: the same end again is a repeat, the contrary one is refused. */
function settled(state: AccountState, reservationId: string, wished: 'captured' | 'released'): Decision {
  const closed = state.closed.get(reservationId);
  if (closed === undefined) return refuse('reservation_unknown', `There is no reservation ${reservationId}`);
  if (closed.outcome === wished) return [];
  return refuse(`reservation_${closed.outcome}`, `The reservation ${reservationId} was ${closed.outcome} already`);
}

function close(state: AccountState, data: FundsReserved['data'], outcome: 'captured' | 'released'): AccountState {
  state.open.delete(data.reservationId);
  state.closed.set(data.reservationId, { ...facts(data), outcome });
  return state;
}

function facts({ reservationId, reference, amount, description }: ReservationData): ReservationData {
  return { reservationId, reference, amount, description };
}

function balances(available: Money, held: Money): Balances {
  assert(available >= 0n && held >= 0n, () => `balances ${available} available and ${held} held`);
  return { available: formatMoney(available), held: formatMoney(held) };
}
