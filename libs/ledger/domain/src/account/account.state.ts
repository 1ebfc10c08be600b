import { assert, formatMoney, type Money, type Refusal, refuse } from '@florin/kernel';
import type { AccountEvent, AccountRefusal, Balances, ClosedReservation, FundsReserved } from './account.messages';
import type { Closing } from './reservation-horizon';

export type OpenReservation = Omit<ClosedReservation, 'reservationId'> & Pick<FundsReserved['data'], 'requestedAt'>;

export interface AccountState {
  available: Money;
  held: Money;
  /** The fingerprints of all deposits, so each deposit id is credited once. */
  readonly deposits: Map<string, string>;
  /** The fingerprints of all adjustments, so each is executed once. */
  readonly adjustments: Map<string, string>;
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
  /** By card, the credited unloads: bit n is unload number n. */
  readonly refunds: Map<string, bigint>;
}

/** 10^15 dollars: far above realistic balances and far below the limit of the read model's column. */
export const maximumBalance: Money = 10n ** 17n;

export function initialAccount(): AccountState {
  return {
    available: 0n,
    held: 0n,
    deposits: new Map(),
    adjustments: new Map(),
    open: new Map(),
    orders: new Map(),
    closed: new Map(),
    horizon: '',
    quotas: new Map(),
    refunds: new Map(),
  };
}

export type Decision = readonly AccountEvent[] | Refusal<AccountRefusal>;

export function balances(available: Money, held: Money): Balances {
  assert(available >= 0n && held >= 0n, () => `balances ${available} available and ${held} held`);
  return { available: formatMoney(available), held: formatMoney(held) };
}

export function limitExceeded(verb: 'deposit' | 'credit'): Refusal<AccountRefusal> {
  const limit = formatMoney(maximumBalance);
  return refuse('account_limit_exceeded', `The balance would exceed ${limit}; ${verb} a smaller amount`);
}
