import type { Command, DomainEvent, EventVersions, Json, MoneyText } from '@florin/kernel';

/** The balances after the event, so every statement entry has its balance. */
export interface Balances {
  readonly available: MoneyText;
  readonly held: MoneyText;
}

interface Deposit {
  readonly depositId: string;
  /** An invoice's id, or the deposit's own. */
  readonly reference: string;
  /** Before the fee. */
  readonly amount: MoneyText;
  readonly fee: MoneyText;
  readonly description: string;
  /** Distinguishes a repeated request from a different request with the same id. */
  readonly fingerprint: string;
}

interface Reservation {
  readonly reservationId: string;
  /** The operation's id. */
  readonly reference: string;
  readonly amount: MoneyText;
  readonly description: string;
  /** Distinguishes a repeated request from a different request with the same id. */
  readonly fingerprint: string;
  /** The operation's order, from which the operation continues after a crash. The ledger stores it and does not read it. */
  readonly order?: Json;
  /** Counted in the same append as the reservation, so concurrent requests cannot exceed the limit; a release frees the slot. */
  readonly quota?: Quota;
  /** Absent in events of early releases. */
  readonly requestedAt?: string;
}

/** The maximum number of reservations under this name, such as `issue 2030-01`, not counting released ones. */
export interface Quota {
  readonly name: string;
  readonly limit: number;
}

type OnAccount<Data> = Data & { readonly accountId: string };

export type DepositFunds = Command<'DepositFunds', OnAccount<Deposit>>;
/** `requestedAt` distinguishes a new reservation from a late message about one beyond the reservation horizon. */
export type CreateReservation = Command<'CreateReservation', OnAccount<Reservation & { readonly requestedAt: string }>>;
export type CaptureReservation = Command<'CaptureReservation', OnAccount<{ readonly reservationId: string }>>;
export type ReleaseReservation = Command<'ReleaseReservation', OnAccount<{ readonly reservationId: string }>>;

/** Read-only. */
export type FindReservation = Command<'FindReservation', OnAccount<{ readonly reservationId: string }>>;

export interface FoundReservation {
  /** A reservation that was closed long ago is `unknown`. */
  readonly status: 'open' | 'closed' | 'unknown';
  /** Of the newest open reservations; null otherwise. */
  readonly order: Json;
}

export type AccountCommand = DepositFunds | CreateReservation | CaptureReservation | ReleaseReservation;

export const accountCommandTypes = [
  'DepositFunds',
  'CreateReservation',
  'CaptureReservation',
  'ReleaseReservation',
] as const satisfies readonly AccountCommand['type'][];

export type FundsDeposited = DomainEvent<'FundsDeposited', Deposit & { readonly after: Balances }>;
export type FundsReserved = DomainEvent<'FundsReserved', Reservation & { readonly after: Balances }>;

export type ClosedReservation = Omit<Reservation, 'order' | 'fingerprint' | 'requestedAt'>;

export type ReservationCaptured = DomainEvent<'ReservationCaptured', ClosedReservation & { readonly after: Balances }>;
export type ReservationReleased = DomainEvent<'ReservationReleased', ClosedReservation & { readonly after: Balances }>;

export type AccountEvent = FundsDeposited | FundsReserved | ReservationCaptured | ReservationReleased;

/** Version 1 had the order in the field `purpose`. */
function renamePurposeToOrder(data: Json): Json {
  const { purpose: order, ...reservation } = data as { readonly [key: string]: Json };
  return { ...reservation, order };
}

export const accountEventVersions: EventVersions<AccountEvent> = {
  FundsDeposited: [],
  FundsReserved: [renamePurposeToOrder],
  ReservationCaptured: [],
  ReservationReleased: [],
};

export type AccountRefusal =
  | 'idempotency_conflict'
  /** Requested before the reservation horizon, so it may have been created and closed before. Request it again. */
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
