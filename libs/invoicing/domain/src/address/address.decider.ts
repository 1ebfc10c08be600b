import {
  type Aggregate,
  assert,
  assertNever,
  decisionIn,
  isDecided,
  parseUsdt,
  type Refusal,
  refuse,
  wholeCents,
} from '@florin/kernel';
import {
  type AddressAnswer,
  type AddressCommand,
  type AddressEvent,
  addressEventVersions,
  type AddressRefusal,
  type ClaimPayAmount,
  type Deposit,
  type DepositUnmatched,
  type RecordDeposit,
  type ResolveDeposit,
  type ReturnDeposit,
  type ShortenClaim,
} from './address.messages';
import {
  type AddressState,
  type Claim,
  claimsEndedBy,
  evolveAddress,
  initialAddress,
  isBeyondRetention,
  isRecorded,
} from './address.state';
import { distinctAmounts, freePayAmount } from './pay-amount';
import { settlementBy } from './settlement-by';

/** The tolerated clock skew of the chain. An earlier deposit cannot belong to the claim. */
export const clockToleranceMs = 10 * 60 * 1_000;

/** Matches deposits at one address to invoices, so that no deposit pays two invoices. */
export const addressAggregate: Aggregate<AddressState, AddressCommand, AddressEvent, AddressRefusal, AddressAnswer> = {
  category: 'address',
  stateVersion: 2,
  versions: addressEventVersions,
  initialState: initialAddress,
  evolve: evolveAddress,

  decide: (command, state) => {
    switch (command.type) {
      case 'ClaimPayAmount':
        return claim(command, state);
      case 'ShortenClaim':
        return shorten(command, state);
      case 'RecordDeposit':
        return matchDeposit(command, state);
      case 'CloseClaims':
        return close(command.data, state);
      case 'ResolveDeposit':
        return resolve(command, state);
      case 'ReturnDeposit':
        return returnDeposit(command, state);
      default:
        return assertNever(command);
    }
  },

  answer: addressAnswer,
};

type Decision = readonly AddressEvent[] | Refusal<AddressRefusal>;

function claim({ data }: ClaimPayAmount, state: AddressState): Decision {
  const { address, invoiceId, accountId, claimedAt, expiresAt, watchedUntil, depositAmount, draw, readTo } = data;
  assert(expiresAt <= watchedUntil, () => `invoice ${invoiceId} expires before the end of its watch period`);
  assert(draw >= 0 && draw < distinctAmounts, () => `draw ${draw} of invoice ${invoiceId} is not an amount`);
  // A claim whose watch period is over was made before and has been deleted since.
  if (state.amounts.has(invoiceId) || watchedUntil <= state.freedUntil) return [];
  const closed = readTo === undefined ? [] : close({ address, readTo }, state);
  const freed = new Set(readTo === undefined ? [] : claimsEndedBy(state, readTo).map((ended) => ended.payAmount));
  const isTaken = (amount: string): boolean => state.claims.has(amount) && !freed.has(amount);
  const payAmount = freePayAmount(draw, depositAmount, isTaken);
  if (payAmount === undefined) {
    return refuse('address_full', `All amounts for ${depositAmount} at ${address} are taken. Use another address`);
  }
  const facts = { address, invoiceId, accountId, payAmount, claimedAt, expiresAt, watchedUntil };
  return [...closed, { type: 'PayAmountClaimed', data: facts }];
}

/** A claim that is paid or lost has ended, and one whose watch period is over was deleted. */
function shorten({ data: { address, invoiceId, expiresAt } }: ShortenClaim, state: AddressState): Decision {
  const found = state.claims.get(state.amounts.get(invoiceId) ?? '');
  if (found?.phase !== 'open' || found.expiresAt <= expiresAt) return [];
  return [{ type: 'ClaimShortened', data: { address, invoiceId, expiresAt } }];
}

/** The first deposit of the exact amount is the payment, in time or late. No other deposit pays an invoice automatically. */
function matchDeposit({ data: { address, deposit } }: RecordDeposit, state: AddressState): Decision {
  if (isRecorded(state, deposit.depositId)) return [];
  assert(!isBeyondRetention(state, deposit.blockTime), () => {
    return `deposit ${deposit.depositId} of ${deposit.blockTime} is too old to detect a duplicate at ${address}`;
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

/** Amounts are reused, so an older deposit may belong to an earlier invoice. */
function isFromBefore({ blockTime }: Deposit, { claimedAt }: Claim): boolean {
  return Date.parse(blockTime) < Date.parse(claimedAt) - clockToleranceMs;
}

/**
 * All payments before `readTo` are recorded: claims that expired by then and are unpaid are lost, and amounts whose watch
 * period is over are free.
 */
function close({ address, readTo }: { address: string; readTo: string }, state: AddressState): AddressEvent[] {
  const events: AddressEvent[] = [];
  for (const { phase, expiresAt, invoiceId, accountId } of state.claims.values()) {
    if (phase !== 'open' || expiresAt > readTo) continue;
    events.push({ type: 'ClaimLost', data: { address, invoiceId, accountId, readTo } });
  }
  if (claimsEndedBy(state, readTo).length > 0) events.push({ type: 'AmountsFreed', data: { address, readTo } });
  return events;
}

/** A repeated decision is recorded, too: otherwise its duplicate could resolve the deposit after it was returned. */
function resolve({ data }: ResolveDeposit, state: AddressState): Decision {
  const { address, depositId, outcome, invoiceId, accountId, note, requestId, now: resolvedAt } = data;
  const isNamed = invoiceId !== undefined && accountId !== undefined;
  assert(isNamed === (outcome === 'completed'), () => `deposit ${depositId} resolved as ${outcome} for ${invoiceId}`);
  const review = state.reviews.get(depositId);
  if (review === undefined) return unknown(depositId, address);
  const { resolution, granted } = review;
  if (granted.includes(requestId)) return [];
  if (resolution === undefined || (resolution.outcome === outcome && resolution.invoiceId === invoiceId)) {
    const { amount } = review.deposit;
    if (outcome === 'completed' && !isDecided(wholeCents(parseUsdt(amount)), data)) {
      const message = `To attribute a deposit of ${amount} takes a proposal and a confirmation by another operator`;
      return refuse('not_four_eyes', message);
    }
    const facts = isNamed ? { invoiceId, accountId, settlement: settlementBy(review.deposit) } : {};
    const decided = { address, depositId, outcome, ...facts, note, requestId, resolvedAt, ...decisionIn(data) };
    return [{ type: 'DepositResolved', data: decided }];
  }
  const forInvoice = resolution.invoiceId === undefined ? '' : ` for invoice ${resolution.invoiceId}`;
  return refuse('deposit_resolved', `Deposit ${depositId} was resolved as ${resolution.outcome}${forInvoice} already`);
}

/** Ignores a message that is outdated because the deposit was resolved again since. */
function returnDeposit({ data }: ReturnDeposit, state: AddressState): Decision {
  const { address, depositId, invoiceId, requestId } = data;
  const review = state.reviews.get(depositId);
  const matched = state.deposits.get(depositId)?.matched;
  if (review === undefined && matched === undefined) return unknown(depositId, address);
  const current = review === undefined ? { invoiceId: matched?.invoiceId, requestId: undefined } : review.resolution;
  const deposit = review?.deposit ?? matched?.deposit;
  const isOutdated = current?.invoiceId !== invoiceId || current.requestId !== requestId;
  if (isOutdated || deposit === undefined) return [];
  return [unmatched({ address, deposit, reason: 'invoice_closed', invoiceId, forReview: true })];
}

function unmatched(data: DepositUnmatched['data']): DepositUnmatched {
  return { type: 'DepositUnmatched', data };
}

function unknown(depositId: string, address: string): Refusal<AddressRefusal> {
  return refuse('deposit_unknown', `No deposit ${depositId} is in review at ${address}`);
}

export function addressAnswer({ amounts, deposits }: AddressState, { type, data }: AddressCommand): AddressAnswer {
  if (type === 'ClaimPayAmount') return { payAmount: amounts.get(data.invoiceId) };
  const matched = type === 'RecordDeposit' ? deposits.get(data.deposit.depositId)?.matched : undefined;
  if (matched === undefined) return {};
  return { payment: { invoiceId: matched.invoiceId, late: matched.late } };
}
