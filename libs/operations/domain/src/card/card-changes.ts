import { decideRepeat, refuse, rememberRequest } from '@florin/kernel';
import type { CardChanged, CardStatusReported, ChangeCard, ReportCardStatus } from './card-changes.messages';
import { changedLimits } from './card-limits';
import { type Card, type CardDecision, changeOf, statusAndMoney } from './card-state';
import type { CardStatus } from './card.messages';

/** Closed cards are never opened again, and expired ones can only be closed. */
const reportable: Readonly<Record<ReportCardStatus['data']['status'], readonly CardStatus[]>> = {
  active: ['pending', 'active', 'frozen', 'blocked'],
  blocked: ['pending', 'active', 'frozen', 'blocked'],
  expired: ['pending', 'active', 'frozen', 'blocked', 'expired'],
};

/** Records the report even if the card already has the status, so that a late duplicate does not undo a newer change. */
export function reportStatus({ data }: ReportCardStatus, card: Card): CardDecision {
  const { requestId, requestedAt, status, occurredAt } = data;
  const repeat = decideRepeat(card.requests, requestId, requestedAt);
  if (repeat !== undefined) return repeat;
  if (occurredAt !== undefined && card.reportedAt !== undefined && occurredAt <= card.reportedAt) return [];
  if (!reportable[status].includes(card.status)) {
    return refuse('card_not_active', `The card is ${card.status} and cannot become ${status}: use another card`);
  }
  const change = { ...changeOf(card, {}), requestId, requestedAt, occurredAt };
  if (status === 'blocked') return [{ type: 'CardBlocked', data: { ...change, status } }];
  if (status === 'expired') return [{ type: 'CardExpired', data: { ...change, status } }];
  const before = card.status === 'blocked' ? card.blockedFrom : card.status;
  const type = card.status === 'blocked' ? 'CardUnblocked' : 'CardActivated';
  return [{ type, data: { ...change, status: before === 'frozen' ? 'frozen' : 'active' } }];
}

export function applyStatus(card: Card, { type, data }: CardStatusReported): void {
  const { status, occurredAt, requestId, requestedAt } = data;
  if (type === 'CardBlocked' && card.status !== 'blocked') card.blockedFrom = card.status;
  card.status = status;
  if (occurredAt !== undefined) card.reportedAt = occurredAt;
  rememberRequest(card.requests, requestId, requestedAt, statusAndMoney(card));
}

export function changeCard({ data }: ChangeCard, card: Card): CardDecision {
  const { requestId, requestedAt, name, limits, metadata } = data;
  const repeat = decideRepeat(card.requests, requestId, requestedAt);
  if (repeat !== undefined) return repeat;
  const changed = limits === undefined ? undefined : changedLimits(card.limits, limits);
  const change = { ...changeOf(card, {}), requestId, requestedAt, name, limits: changed, metadata };
  return [{ type: 'CardChanged', data: change }];
}

export function applyChange(card: Card, { data }: CardChanged): void {
  const { name, limits, metadata, requestId, requestedAt } = data;
  if (name !== undefined) card.name = name;
  if (limits !== undefined) card.limits = limits;
  if (metadata !== undefined) card.metadata = metadata;
  rememberRequest(card.requests, requestId, requestedAt, statusAndMoney(card));
}
