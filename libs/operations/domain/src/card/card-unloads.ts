import {
  assert,
  decideRepeat,
  formatMoney,
  idempotencyConflict,
  type Money,
  type MoneyText,
  noRequests,
  parseMoney,
  type Refusal,
  refuse,
  rememberRequest,
} from '@florin/kernel';
import { withoutMetadata } from '../operation/operation.state';
import { availableOn, type Card, type CardDecision, changeOf, type UnloadOutcome, type Unloads } from './card-state';
import type {
  CaptureUnload,
  CardStatus,
  CardUnloaded,
  ReleaseUnload,
  ReserveUnload,
  UnloadReleased,
  UnloadReserved,
} from './card.messages';

export function noUnloads(): Unloads {
  return { lastNumber: 0, reserved: new Map(), ended: noRequests() };
}

const unloadableStatuses: ReadonlySet<CardStatus> = new Set(['active', 'frozen', 'blocked', 'expired']);

/** A closed card may have got a refund after it was closed, or money of the first release. */
export function refusalOfUnload(
  { status, balance, available }: { readonly status: CardStatus; readonly balance: Money; readonly available: Money },
  amount: MoneyText,
): Refusal<'card_not_active' | 'insufficient_card_balance'> | undefined {
  if (!unloadableStatuses.has(status) && !(status === 'closed' && balance > 0n)) {
    const remedy = status === 'pending' ? 'wait until it is active' : 'use another card';
    return refuse('card_not_active', `The card is ${status}, and has no money to unload: ${remedy}`);
  }
  if (parseMoney(amount) <= available) return undefined;
  return refuse(
    'insufficient_card_balance',
    `${amount} is to be unloaded and ${formatMoney(available)} is available on the card: send a smaller amount`,
  );
}

/** Reserves the amount on the card and numbers the unload. The ledger credits each number once. */
export function reserveUnload({ data }: ReserveUnload, card: Card): CardDecision {
  const { operationId, amount, order, requestedAt } = data;
  const { reserved, ended, lastNumber } = card.unloads;
  const known = reserved.get(operationId);
  if (known !== undefined) return known.fingerprint === order.fingerprint ? [] : idempotencyConflict();
  const repeat = decideRepeat(ended, operationId, requestedAt);
  if (repeat !== undefined) return repeat;
  assert(parseMoney(amount) > 0n && amount === order.amount, () => `unload ${operationId} of ${amount}`);
  const { status, balance } = card;
  const refusal = refusalOfUnload({ status, balance, available: availableOn(card) }, amount);
  if (refusal !== undefined) return refusal;
  const numbered = { ...order, unloadNumber: lastNumber + 1 };
  const change = changeOf(card, { held: parseMoney(amount) });
  return [{ type: 'UnloadReserved', data: { ...change, operationId, amount, order: numbered } }];
}

/** Takes a reserved amount off the card. */
export function captureUnload({ data: { operationId } }: CaptureUnload, card: Card): CardDecision {
  const order = card.unloads.reserved.get(operationId);
  if (order === undefined) return ended(card, operationId, 'captured');
  const { amount, unloadNumber } = order;
  assert(unloadNumber !== undefined, () => `unload ${operationId} has no number`);
  const money = parseMoney(amount);
  const change = changeOf(card, { balance: -money, held: -money });
  return [{ type: 'CardUnloaded', data: { ...change, operationId, amount, unloadNumber } }];
}

/** Gives a reserved amount back to the card. */
export function releaseUnload({ data: { operationId } }: ReleaseUnload, card: Card): CardDecision {
  const order = card.unloads.reserved.get(operationId);
  if (order === undefined) return ended(card, operationId, 'released');
  const { amount } = order;
  const change = changeOf(card, { held: -parseMoney(amount) });
  return [{ type: 'UnloadReleased', data: { ...change, operationId, amount } }];
}

/** The unload is not reserved: the same outcome is a repeat, the opposite one is rejected. */
function ended({ unloads }: Card, operationId: string, requested: UnloadOutcome): CardDecision {
  const outcome = unloads.ended.accepted.get(operationId)?.content;
  if (outcome === undefined) return refuse('unload_unknown', `There is no unload ${operationId}`);
  if (outcome === requested) return [];
  return refuse(`unload_${outcome}`, `The unload ${operationId} was ${outcome} already`);
}

export function addUnload(card: Card, { data: { operationId, amount, order } }: UnloadReserved): void {
  assert(order.unloadNumber !== undefined, () => `unload ${operationId} has no number`);
  card.unloads.lastNumber = order.unloadNumber;
  card.unloads.reserved.set(operationId, withoutMetadata(order));
  card.held += parseMoney(amount);
}

export function endUnload(
  card: Card,
  { data: { operationId, amount } }: CardUnloaded | UnloadReleased,
  outcome: UnloadOutcome,
): void {
  const { reserved, ended } = card.unloads;
  const order = reserved.get(operationId);
  assert(order !== undefined, () => `unload ${operationId} ends before it is reserved`);
  reserved.delete(operationId);
  card.held -= parseMoney(amount);
  rememberRequest(ended, operationId, order.createdAt, outcome);
}
