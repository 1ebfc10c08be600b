import type { Command, DomainEvent, EventVersions, Json, MoneyText } from '@florin/kernel';

/** What the account holds once the event has happened, so that every entry can show its own balance. */
export interface Balances {
  readonly available: MoneyText;
  readonly held: MoneyText;
}

interface Deposit {
  readonly depositId: string;
  /** What the money came for: an invoice's id, or the deposit's own. */
  readonly reference: string;
  /** Before the fee. */
  readonly amount: MoneyText;
  readonly fee: MoneyText;
  readonly description: string;
  /** Tells a repeat of the same request from another request under the same id. */
  readonly fingerprint: string;
}

interface Reservation {
  readonly reservationId: string;
  /** What the money is held for: an operation's id. */
  readonly reference: string;
  readonly amount: MoneyText;
  readonly description: string;
  /** Tells a repeat of the same request from another request under the same id. */
  readonly fingerprint: string;
  /** What the holder of the reservation needs to go on after a crash. The ledger carries it and does not look inside. */
  readonly purpose?: Json;
  /** Counted in the same append as the hold, so that no race can pass the limit; a release frees the slot again. */
  readonly quota?: Quota;
  /** Events from before it was told have none. */
  readonly requestedAt?: string;
}

/** So many reservations under this name, such as `issue 2030-01`, may exist that were not released. */
export interface Quota {
  readonly name: string;
  readonly limit: number;
}

type OnAccount<Data> = Data & { readonly accountId: string };

export type DepositFunds = Command<'DepositFunds', OnAccount<Deposit>>;
/** `requestedAt` tells a new reservation from an old message about one that was closed and forgotten. */
export type ReserveFunds = Command<'ReserveFunds', OnAccount<Reservation & { readonly requestedAt: string }>>;
export type CaptureReservation = Command<'CaptureReservation', OnAccount<{ readonly reservationId: string }>>;
export type ReleaseReservation = Command<'ReleaseReservation', OnAccount<{ readonly reservationId: string }>>;

/** Asks what is known of a reservation. It changes nothing. */
export type ShowReservation = Command<'ShowReservation', OnAccount<{ readonly reservationId: string }>>;

export interface ReservationView {
  /** Of one that was closed long ago nothing is known any more. */
  readonly status: 'open' | 'closed' | 'unknown';
  /** What an open one was made for, as long as the ledger remembers. */
  readonly purpose: Json;
}

export type AccountCommand = DepositFunds | ReserveFunds | CaptureReservation | ReleaseReservation;

export const accountCommandTypes = [
  'DepositFunds',
  'ReserveFunds',
  'CaptureReservation',
  'ReleaseReservation',
] as const satisfies readonly AccountCommand['type'][];

export type FundsDeposited = DomainEvent<'FundsDeposited', Deposit & { readonly after: Balances }>;
export type FundsReserved = DomainEvent<'FundsReserved', Reservation & { readonly after: Balances }>;

/** The end of a reservation says what it was about, but does not carry its purpose on. */
export type ClosedReservation = Omit<Reservation, 'purpose' | 'fingerprint' | 'requestedAt'>;

export type ReservationCaptured = DomainEvent<'ReservationCaptured', ClosedReservation & { readonly after: Balances }>;
export type ReservationReleased = DomainEvent<'ReservationReleased', ClosedReservation & { readonly after: Balances }>;

export type AccountEvent = FundsDeposited | FundsReserved | ReservationCaptured | ReservationReleased;

export const accountEventVersions: EventVersions<AccountEvent> = {
  FundsDeposited: [],
  FundsReserved: [],
  ReservationCaptured: [],
  ReservationReleased: [],
};

export type AccountRefusal =
  | 'idempotency_conflict'
  /** So old that it may have been made and closed before: ask for it anew. */
  | 'reservation_outdated'
  | 'account_limit_exceeded'
  | 'deposit_of_nothing'
  | 'quota_exceeded'
  | 'insufficient_funds'
  | 'reservation_unknown'
  | 'reservation_captured'
  | 'reservation_released';

/** Every company has one account in each environment. */
export function accountIdOf(companyId: string, environment: string): string {
  return `${companyId}-${environment}`;
}
