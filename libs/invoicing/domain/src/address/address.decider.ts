import { assert, assertNever, type Decider, type Refusal, refuse } from '@florin/kernel';
import type {
  AddressAnswer,
  AddressCommand,
  AddressEvent,
  AddressRefusal,
  ClaimPayAmount,
  Deposit,
  DepositUnmatched,
  RecordDeposit,
  ResolveDeposit,
  ReturnDeposit,
} from './address.messages';
import {
  type AddressState,
  type Claim,
  endedBy,
  evolveAddress,
  initialAddress,
  isForgotten,
  isRecorded,
} from './address.state';
import { freePayAmount } from './pay-amount';

/** How far the chain's clock may be behind ours. A deposit from long before the claim was somebody else's. */
export const clockToleranceMs = 10 * 60 * 1_000;

/** The judge of everything that arrives at one address: two invoices can never be paid by the same deposit. */
export const addressDecider: Decider<AddressState, AddressCommand, AddressEvent, AddressRefusal> = {
  category: 'address',
  stateVersion: 1,
  initialState: initialAddress,
  evolve: evolveAddress,

  decide: (command, state) => {
    switch (command.type) {
      case 'ClaimPayAmount':
        return claim(command, state);
      case 'RecordDeposit':
        return judge(command, state);
      case 'CloseClaims':
        return close(command.data, state);
      case 'ResolveDeposit':
        return resolve(command, state);
      case 'ReturnDeposit':
        return giveBack(command, state);
      default:
        return assertNever(command);
    }
  },
};

type Decision = readonly AddressEvent[] | Refusal<AddressRefusal>;

function claim({ data }: ClaimPayAmount, state: AddressState): Decision {
  const { address, invoiceId, accountId, claimedAt, expiresAt, watchedUntil, depositAmount, readTo } = data;
  assert(expiresAt <= watchedUntil, () => `invoice ${invoiceId} expires after the end of its watch`);
  // A claim that would be over already was made before, and has been forgotten since.
  if (state.amounts.has(invoiceId) || watchedUntil <= state.freedUntil) return [];
  const closed = readTo === undefined ? [] : close({ address, readTo }, state);
  const freed = new Set(readTo === undefined ? [] : endedBy(state, readTo).map((ended) => ended.payAmount));
  const isTaken = (amount: string): boolean => state.claims.has(amount) && !freed.has(amount);
  const payAmount = freePayAmount(invoiceId, depositAmount, isTaken);
  if (payAmount === undefined) {
    return refuse('address_full', `All amounts for ${depositAmount} at ${address} are taken: use another address`);
  }
  const facts = { address, invoiceId, accountId, payAmount, claimedAt, expiresAt, watchedUntil };
  return [...closed, { type: 'PayAmountClaimed', data: facts }];
}

/** The first deposit of exactly the amount is the payment, whether in time or late. Nothing else pays anything by itself. */
function judge({ data: { address, deposit } }: RecordDeposit, state: AddressState): Decision {
  if (isRecorded(state, deposit.depositId)) return [];
  assert(!isForgotten(state, deposit.blockTime), () => {
    return `deposit ${deposit.depositId} of ${deposit.blockTime} is too old to tell whether it was recorded at ${address}`;
  });
  const found = state.claims.get(deposit.amount);
  if (found === undefined || isFromBefore(deposit, found)) {
    const forReview = state.watchedUntil > deposit.blockTime;
    return [unmatched({ address, deposit, reason: 'amount_unknown', forReview })];
  }
  const { invoiceId, accountId, phase, expiresAt } = found;
  if (phase === 'paid') return [unmatched({ address, deposit, reason: 'paid_already', invoiceId, forReview: true })];
  const late = phase === 'lost' || deposit.blockTime >= expiresAt;
  return [{ type: 'DepositMatched', data: { address, deposit, invoiceId, accountId, late } }];
}

/** Amounts are given out again, so the same one may have been somebody else's before. */
function isFromBefore({ blockTime }: Deposit, { claimedAt }: Claim): boolean {
  return Date.parse(blockTime) < Date.parse(claimedAt) - clockToleranceMs;
}

/**
 * All that was settled before `readTo` is known here: who has not been paid by then was not paid in time, and amounts
 * that nobody watches any more are free. Whatever is freed was lost or paid before.
 */
function close({ address, readTo }: { address: string; readTo: string }, state: AddressState): AddressEvent[] {
  const events: AddressEvent[] = [];
  for (const { phase, expiresAt, invoiceId, accountId } of state.claims.values()) {
    if (phase !== 'open' || expiresAt > readTo) continue;
    events.push({ type: 'ClaimLost', data: { address, invoiceId, accountId, readTo } });
  }
  if (endedBy(state, readTo).length > 0) events.push({ type: 'AmountsFreed', data: { address, readTo } });
  return events;
}

/** The same decision again is noted, or a duplicate of it could decide about the deposit once it has come back. */
function resolve({ data }: ResolveDeposit, state: AddressState): Decision {
  const { address, depositId, outcome, invoiceId, accountId, note, requestId, now: resolvedAt } = data;
  const isNamed = invoiceId !== undefined && accountId !== undefined;
  assert(isNamed === (outcome === 'completed'), () => `deposit ${depositId} resolved as ${outcome} for ${invoiceId}`);
  const review = state.reviews.get(depositId);
  if (review === undefined) return unknown(depositId, address);
  const { resolution, granted } = review;
  if (granted.includes(requestId)) return [];
  if (resolution === undefined || (resolution.outcome === outcome && resolution.invoiceId === invoiceId)) {
    const facts = isNamed ? { invoiceId, accountId } : {};
    const decided = { address, depositId, outcome, ...facts, note, requestId, resolvedAt };
    return [{ type: 'DepositResolved', data: decided }];
  }
  const forWhom = resolution.invoiceId === undefined ? '' : ` for invoice ${resolution.invoiceId}`;
  return refuse('deposit_resolved', `Deposit ${depositId} was resolved as ${resolution.outcome}${forWhom} already`);
}

/** Only from the invoice that has it, and as it came by it: when somebody has decided since, this is an old message. */
function giveBack({ data }: ReturnDeposit, state: AddressState): Decision {
  const { address, depositId, invoiceId, requestId } = data;
  const review = state.reviews.get(depositId);
  const matched = state.deposits.get(depositId)?.matched;
  if (review === undefined && matched === undefined) return unknown(depositId, address);
  const holder = review === undefined ? { invoiceId: matched?.invoiceId, requestId: undefined } : review.resolution;
  const deposit = review?.deposit ?? matched?.deposit;
  const isOld = holder?.invoiceId !== invoiceId || holder.requestId !== requestId;
  if (isOld || deposit === undefined) return [];
  return [unmatched({ address, deposit, reason: 'invoice_closed', invoiceId, forReview: true })];
}

function unmatched(data: DepositUnmatched['data']): DepositUnmatched {
  return { type: 'DepositUnmatched', data };
}

function unknown(depositId: string, address: string): Refusal<AddressRefusal> {
  return refuse('deposit_unknown', `No deposit ${depositId} waits for an operator at ${address}`);
}

export function addressAnswer({ amounts, deposits }: AddressState, { type, data }: AddressCommand): AddressAnswer {
  if (type === 'ClaimPayAmount') return { payAmount: amounts.get(data.invoiceId) };
  const matched = type === 'RecordDeposit' ? deposits.get(data.deposit.depositId)?.matched : undefined;
  if (matched === undefined) return {};
  return { payment: { invoiceId: matched.invoiceId, late: matched.late } };
}
