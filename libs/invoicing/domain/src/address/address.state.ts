import { assert, assertNever } from '@florin/kernel';
import type {
  AddressEvent,
  Deposit,
  DepositMatched,
  DepositResolved,
  DepositUnmatched,
  PaymentClaim,
} from './address.messages';

export interface Claim extends PaymentClaim {
  /** A lost one can still be paid late, once. */
  phase: 'open' | 'lost' | 'paid';
}

interface RecordedDeposit {
  readonly blockTime: string;
  readonly matched?: { readonly deposit: Deposit; readonly invoiceId: string; readonly late: boolean };
}

/** A deposit that waits for an operator, or waited. */
interface Review {
  readonly deposit: Deposit;
  readonly resolution: Pick<DepositResolved['data'], 'outcome' | 'invoiceId' | 'requestId'> | undefined;
  /** Every request that was granted, also those whose decision is void since the deposit came back. */
  readonly granted: readonly string[];
}

export interface AddressState {
  /** By the amount, the oldest first. What is in here is taken. */
  readonly claims: Map<string, Claim>;
  /** The amount that each invoice has claimed. */
  readonly amounts: Map<string, string>;
  /** Claims whose watch was over by then have been forgotten. */
  freedUntil: string;
  /** The last instant at which anything is watched here. */
  watchedUntil: string;
  /** The newest deposits, the oldest of them first: a repeat is recognised by them. */
  readonly deposits: Map<string, RecordedDeposit>;
  newestBlockTime: string;
  /** Operators decide about few deposits, so these are never forgotten. */
  readonly reviews: Map<string, Review>;
}

/** Blocks are told in order, and once more only after a crash: a deposit from before that time cannot be new. */
const rememberedMs = 30 * 24 * 60 * 60 * 1_000;

export function initialAddress(): AddressState {
  return {
    claims: new Map(),
    amounts: new Map(),
    freedUntil: '',
    watchedUntil: '',
    deposits: new Map(),
    newestBlockTime: '',
    reviews: new Map(),
  };
}

export function evolveAddress(state: AddressState, event: AddressEvent): AddressState {
  switch (event.type) {
    case 'PayAmountClaimed': {
      const { address: _, ...claim } = event.data;
      state.claims.set(claim.payAmount, { ...claim, phase: 'open' });
      state.amounts.set(claim.invoiceId, claim.payAmount);
      if (claim.watchedUntil > state.watchedUntil) state.watchedUntil = claim.watchedUntil;
      return state;
    }
    case 'DepositMatched':
      return match(state, event.data);
    case 'DepositUnmatched':
      return unmatch(state, event.data);
    case 'ClaimLost':
      claimOf(state, event.data.invoiceId).phase = 'lost';
      return state;
    case 'DepositResolved': {
      const { depositId, outcome, invoiceId, requestId } = event.data;
      const review = state.reviews.get(depositId);
      assert(review !== undefined, () => `deposit ${depositId} was resolved without a review`);
      const granted = requestId === undefined ? review.granted : [...review.granted, requestId];
      state.reviews.set(depositId, { ...review, resolution: { outcome, invoiceId, requestId }, granted });
      return state;
    }
    case 'AmountsFreed':
      if (event.data.readTo > state.freedUntil) state.freedUntil = event.data.readTo;
      for (const claim of endedBy(state, event.data.readTo)) {
        state.claims.delete(claim.payAmount);
        state.amounts.delete(claim.invoiceId);
      }
      return state;
    default:
      return assertNever(event);
  }
}

function match(state: AddressState, { deposit, invoiceId, late }: DepositMatched['data']): AddressState {
  claimOf(state, invoiceId).phase = 'paid';
  return remember(state, deposit, { deposit, invoiceId, late });
}

/** One that comes back from its invoice is known already; what was decided about it before is void. */
function unmatch(state: AddressState, { deposit, forReview }: DepositUnmatched['data']): AddressState {
  const granted = state.reviews.get(deposit.depositId)?.granted ?? [];
  if (forReview) state.reviews.set(deposit.depositId, { deposit, resolution: undefined, granted });
  return remember(state, deposit);
}

function remember(state: AddressState, deposit: Deposit, matched?: RecordedDeposit['matched']): AddressState {
  const { depositId, blockTime } = deposit;
  state.deposits.set(depositId, { blockTime, matched });
  if (blockTime > state.newestBlockTime) state.newestBlockTime = blockTime;
  for (const [oldest, recorded] of state.deposits) {
    if (!isForgotten(state, recorded.blockTime)) break;
    state.deposits.delete(oldest);
  }
  return state;
}

function claimOf(state: AddressState, invoiceId: string): Claim {
  const claim = state.claims.get(state.amounts.get(invoiceId) ?? '');
  assert(claim !== undefined, () => `invoice ${invoiceId} has no claim here`);
  return claim;
}

/** Whether a deposit from then would be remembered no more. */
export function isForgotten({ newestBlockTime }: AddressState, blockTime: string): boolean {
  return newestBlockTime !== '' && Date.parse(blockTime) < Date.parse(newestBlockTime) - rememberedMs;
}

/** Claims whose watch was over by then, the oldest first, up to the first one that is still watched. */
export function endedBy({ claims }: AddressState, readTo: string): readonly Claim[] {
  const ended: Claim[] = [];
  for (const claim of claims.values()) {
    if (claim.watchedUntil > readTo) break;
    ended.push(claim);
  }
  return ended;
}

export function isRecorded({ deposits, reviews }: AddressState, depositId: string): boolean {
  return deposits.has(depositId) || reviews.has(depositId);
}
