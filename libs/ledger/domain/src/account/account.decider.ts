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
  ClosedReservation,
  DepositFunds,
  FundsReserved,
  Quota,
  ReleaseReservation,
  ReserveFunds,
} from './account.messages';
import {
  type Closing,
  forgetClosings,
  forgetOldest,
  type Outcome,
  rememberedClosings,
  rememberedPurposes,
} from './remembered-reservations';

type OpenReservation = Omit<ClosedReservation, 'reservationId'> & Pick<FundsReserved['data'], 'requestedAt'>;

export interface AccountState {
  available: Money;
  held: Money;
  /** Fingerprints of all deposits ever: a deposit's id is good for one credit, however late it is repeated. */
  readonly deposits: Map<string, string>;
  /** There can be very many of them, so this is only what their end needs. */
  readonly open: Map<string, OpenReservation>;
  /** What the newest open reservations were made for, the oldest of them first: what two racing requests have to know. */
  readonly purposes: Map<string, Pick<FundsReserved['data'], 'fingerprint' | 'purpose'>>;
  /** How the newest closed reservations ended, the oldest of them first. Their owners know the rest. */
  readonly closed: Map<string, Closing>;
  /** When the newest of the closed reservations that were forgotten was asked for: of what is older nobody can tell. */
  forgottenUntil: string;
  /** How many reservations were made under each quota and not released. A name without any is not kept. */
  readonly quotas: Map<string, number>;
}

/** A thousand million million dollars: far beyond use, and far below what a column of the read model can hold. */
export const maximumBalance: Money = 10n ** 17n;

export const accountDecider: Decider<AccountState, AccountCommand, AccountEvent, AccountRefusal> = {
  category: 'account',
  stateVersion: 1,

  initialState: () => ({
    available: 0n,
    held: 0n,
    deposits: new Map(),
    open: new Map(),
    purposes: new Map(),
    closed: new Map(),
    forgottenUntil: '',
    quotas: new Map(),
  }),

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
};

type Decision = readonly AccountEvent[] | Refusal<AccountRefusal>;

function deposit({ data }: DepositFunds, state: AccountState): Decision {
  const known = state.deposits.get(data.depositId);
  if (known === data.fingerprint) return [];
  if (known !== undefined) return refuse('idempotency_conflict', 'This deposit was made before with other data');
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
    return refuse('account_limit_exceeded', `The account would hold more than ${limit}; deposit a smaller amount`);
  }
  const { depositId, reference, description, fingerprint } = data;
  const after = balances(available, state.held);
  const facts = { depositId, reference, amount: data.amount, fee: data.fee, description, fingerprint, after };
  return [{ type: 'FundsDeposited', data: facts }];
}

/**
 * Of a closed or an older reservation nothing is left to compare with; that it is taken is enough, because no money moves
 * and whoever owns it knows what it was for. A message from before the oldest closing that is remembered may be about one
 * that was forgotten: money is never held twice for it.
 */
function reserve({ data }: ReserveFunds, state: AccountState): Decision {
  const { reservationId, fingerprint, quota, requestedAt } = data;
  const known = state.purposes.get(reservationId);
  if (known !== undefined && known.fingerprint !== fingerprint) {
    return refuse('idempotency_conflict', 'This reservation was made before with other data');
  }
  if (state.open.has(reservationId) || state.closed.has(reservationId)) return [];
  if (requestedAt <= state.forgottenUntil) {
    return refuse('reservation_outdated', `Reservation ${reservationId} of ${requestedAt} comes too late: ask anew`);
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
  const { reference, description, purpose } = data;
  const after = balances(state.available - amount, state.held + amount);
  const asked = { reservationId, reference, amount: data.amount, description, fingerprint, purpose, quota };
  return [{ type: 'FundsReserved', data: { requestedAt, after, ...asked } }];
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

/** A reservation that is not open: the same end again is a repeat, the contrary one is refused. */
function settled(state: AccountState, reservationId: string, wished: Outcome): Decision {
  const outcome = state.closed.get(reservationId)?.outcome;
  if (outcome === undefined) return refuse('reservation_unknown', `There is no reservation ${reservationId}`);
  if (outcome === wished) return [];
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
  const { reservationId, amount, description, quota, fingerprint, purpose, requestedAt } = reserved;
  // Mostly the two are the same text: keeping it once is worth the look.
  const reference = reserved.reference === reservationId ? reservationId : reserved.reference;
  state.open.set(reservationId, { reference, amount, description, quota, requestedAt });
  state.purposes.set(reservationId, { fingerprint, purpose });
  if (state.purposes.size > rememberedPurposes) forgetOldest(state.purposes);
}

function close(state: AccountState, reservationId: string, outcome: Outcome): void {
  const requestedAt = state.open.get(reservationId)?.requestedAt;
  state.open.delete(reservationId);
  state.purposes.delete(reservationId);
  state.closed.set(reservationId, { outcome, requestedAt });
  if (state.closed.size > rememberedClosings.least) forgetClosings(state, requestedAt);
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
