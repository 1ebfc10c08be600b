import type { Command, DomainEvent, Metadata } from '@florin/kernel';
import type { CardLimits, CardMoney, CardStatus, LimitChanges } from './card-values';

/** What the issuer or an operator says about a card. Only the holder of the account freezes and closes it. */
export const reportedCardStatuses = ['active', 'blocked', 'expired'] as const;
export type ReportedCardStatus = (typeof reportedCardStatuses)[number];

interface Request {
  readonly cardId: string;
  readonly accountId: string;
  readonly requestId: string;
  readonly requestedAt: string;
}

export type ReportCardStatus = Command<
  'ReportCardStatus',
  Request & {
    readonly status: ReportedCardStatus;
    /** When the issuer changed it. A report that is older than the newest one changes nothing. */
    readonly occurredAt?: string;
  }
>;

/** Absent fields stay. */
export type ChangeCard = Command<
  'ChangeCard',
  Request & { readonly name?: string; readonly limits?: LimitChanges; readonly metadata?: Metadata }
>;

interface Change {
  readonly cardId: string;
  readonly companyId: string;
  readonly environment: 'sandbox' | 'live';
  readonly requestId: string;
  readonly requestedAt: string;
  readonly after: CardMoney;
}

type StatusReported = Change & {
  /** After the report: an active report leaves a frozen card frozen. */
  readonly status: CardStatus;
  readonly occurredAt?: string;
};

export type CardActivated = DomainEvent<'CardActivated', StatusReported>;
export type CardBlocked = DomainEvent<'CardBlocked', StatusReported>;
export type CardUnblocked = DomainEvent<'CardUnblocked', StatusReported>;
export type CardExpired = DomainEvent<'CardExpired', StatusReported>;
/** `limits` and `metadata` are complete, not only what was changed. */
export type CardChanged = DomainEvent<
  'CardChanged',
  Change & { readonly name?: string; readonly limits?: CardLimits; readonly metadata?: Metadata }
>;

export type CardStatusReported = CardActivated | CardBlocked | CardUnblocked | CardExpired;
