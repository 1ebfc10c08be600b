import type { Command, DomainEvent, EventVersions, Json, MoneyText, OperatorActor, Upcaster } from '@florin/kernel';

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
  /** The part of `amount` that is a fee. Absent in events of early releases, where the statement does not separate it. */
  readonly fee?: MoneyText;
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

/** A correction by operators. It needs no invoice and no operation. */
interface Adjustment {
  readonly adjustmentId: string;
  readonly direction: AdjustmentDirection;
  readonly amount: MoneyText;
  /** The operator's reason. The client sees it in the statement. */
  readonly description: string;
  readonly requestedAt: string;
  readonly proposedBy: OperatorActor;
  /** Absent if one operator was sufficient. */
  readonly confirmedBy?: OperatorActor;
  /** The amount from which two operators had to decide at that time; 0.00 if one was always sufficient. */
  readonly fourEyesAmount: MoneyText;
  /** Distinguishes a repeated request from a different request with the same id. */
  readonly fingerprint: string;
}

/** Money that an unload has taken off a card. */
interface Refund {
  /** The operation's id. */
  readonly refundId: string;
  readonly reference: string;
  readonly cardId: string;
  /** The card numbers its unloads 1, 2, 3 and so on. Each number is credited once. */
  readonly unloadNumber: number;
  readonly amount: MoneyText;
  readonly description: string;
}

export const adjustmentDirections = ['credit', 'debit'] as const;
export type AdjustmentDirection = (typeof adjustmentDirections)[number];

type OnAccount<Data> = Data & { readonly accountId: string };

export type DepositFunds = Command<'DepositFunds', OnAccount<Deposit>>;
/** `requestedAt` distinguishes a new reservation from a late message about one beyond the reservation horizon. */
export type CreateReservation = Command<'CreateReservation', OnAccount<Reservation & { readonly requestedAt: string }>>;
export type CaptureReservation = Command<'CaptureReservation', OnAccount<{ readonly reservationId: string }>>;
export type ReleaseReservation = Command<'ReleaseReservation', OnAccount<{ readonly reservationId: string }>>;
export type AdjustAccount = Command<'AdjustAccount', OnAccount<Adjustment>>;
export type CreditRefund = Command<'CreditRefund', OnAccount<Refund>>;

/** Several reservations of one account, in order. Each is decided as if it were created alone. Returns a reply for each. */
export type CreateReservations = Command<
  'CreateReservations',
  OnAccount<{ readonly reservations: readonly Omit<CreateReservation['data'], 'accountId'>[] }>
>;

export function reservationsIn({ data }: CreateReservations): readonly CreateReservation[] {
  const { accountId, reservations } = data;
  return reservations.map((reservation) => ({ type: 'CreateReservation', data: { accountId, ...reservation } }));
}

/** Read-only. */
export type FindReservation = Command<'FindReservation', OnAccount<{ readonly reservationId: string }>>;

export interface FoundReservation {
  /** A reservation that was closed long ago is `unknown`. */
  readonly status: 'open' | 'closed' | 'unknown';
  /** Of the newest open reservations; null otherwise. */
  readonly order: Json;
}

export type AccountCommand =
  DepositFunds | CreateReservation | CaptureReservation | ReleaseReservation | AdjustAccount | CreditRefund;

export const accountCommandTypes = [
  'DepositFunds',
  'CreateReservation',
  'CaptureReservation',
  'ReleaseReservation',
  'AdjustAccount',
  'CreditRefund',
] as const satisfies readonly AccountCommand['type'][];

export type FundsDeposited = DomainEvent<'FundsDeposited', Deposit & { readonly after: Balances }>;
export type FundsReserved = DomainEvent<'FundsReserved', Reservation & { readonly after: Balances }>;

export type ClosedReservation = Omit<Reservation, 'order' | 'fingerprint' | 'requestedAt'>;

export type ReservationCaptured = DomainEvent<'ReservationCaptured', ClosedReservation & { readonly after: Balances }>;
export type ReservationReleased = DomainEvent<
  'ReservationReleased',
  Omit<ClosedReservation, 'fee'> & { readonly after: Balances }
>;

/** `reference` is the adjustment's own id. */
export type AccountAdjusted = DomainEvent<
  'AccountAdjusted',
  Adjustment & { readonly reference: string; readonly after: Balances }
>;

export type FundsRefunded = DomainEvent<'FundsRefunded', Refund & { readonly after: Balances }>;

export type AccountEvent =
  FundsDeposited | FundsReserved | ReservationCaptured | ReservationReleased | AccountAdjusted | FundsRefunded;

/** Version 1 had the order in the field `purpose`. */
function renamePurposeToOrder(data: Json): Json {
  const { purpose: order, ...reservation } = data as { readonly [key: string]: Json };
  return { ...reservation, order };
}

/** The fee was added, which old events do not have. */
const withoutFee: Upcaster = (data) => data;

export const accountEventVersions: EventVersions<AccountEvent> = {
  FundsDeposited: [],
  FundsReserved: [renamePurposeToOrder, withoutFee],
  ReservationCaptured: [withoutFee],
  ReservationReleased: [],
  AccountAdjusted: [],
  FundsRefunded: [],
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
  | 'reservation_released'
  /** An adjustment of this amount takes two different operators. */
  | 'not_four_eyes';

/** Every company has one account in each environment. */
export function accountIdOf(companyId: string, environment: string): string {
  return `${companyId}-${environment}`;
}
