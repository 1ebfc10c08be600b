import { assert, assertNever } from '@florin/kernel';
import type {
  AddressEvent,
  Deposit,
  DepositMatched,
  DepositResolved,
  DepositUnmatched,
  PaymentClaim,
} from './address.messages';

export interface Claim extends Omit<PaymentClaim, 'expiresAt'> {
  /** Earlier than claimed if the invoice was canceled. */
  expiresAt: string;
  /** A lost claim can still be paid late, once. */
  phase: 'open' | 'lost' | 'paid';
}

interface RecordedDeposit {
  readonly blockTime: string;
  readonly matched?: { readonly deposit: Deposit; readonly invoiceId: string; readonly late: boolean };
}

/** A deposit that is or was in review. */
interface Review {
  readonly deposit: Deposit;
  readonly resolution: Pick<DepositResolved['data'], 'outcome' | 'invoiceId' | 'requestId'> | undefined;
  /** All accepted requests, including those from before the deposit was returned. */
  readonly granted: readonly string[];
}

export interface AddressState {
  /** The taken amounts with their claims, the oldest first. */
  readonly claims: Map<string, Claim>;
  /** The amount of each invoice. */
  readonly amounts: Map<string, string>;
  /** Claims whose watch period ended by then were deleted. */
  freedUntil: string;
  /** The end of the latest watch period. */
  watchedUntil: string;
  /** The newest deposits, the oldest first, to recognize duplicates. */
  readonly deposits: Map<string, RecordedDeposit>;
  newestBlockTime: string;
  /** Kept without limit, because few deposits are in review. */
  readonly reviews: Map<string, Review>;
}

/** Blocks are settled in order and repeated only after a crash, so an older deposit cannot be new. */
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
    case 'ClaimShortened':
      claimOf(state, event.data.invoiceId).expiresAt = event.data.expiresAt;
      return state;
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
      for (const claim of claimsEndedBy(state, event.data.readTo)) {
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

/** A returned deposit is known already; its earlier resolution is void. */
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
    if (!isBeyondRetention(state, recorded.blockTime)) break;
    state.deposits.delete(oldest);
  }
  return state;
}

function claimOf(state: AddressState, invoiceId: string): Claim {
  const claim = state.claims.get(state.amounts.get(invoiceId) ?? '');
  assert(claim !== undefined, () => `invoice ${invoiceId} has no claim here`);
  return claim;
}

/** Whether a deposit of that time is no longer kept. */
export function isBeyondRetention({ newestBlockTime }: AddressState, blockTime: string): boolean {
  return newestBlockTime !== '' && Date.parse(blockTime) < Date.parse(newestBlockTime) - rememberedMs;
}

/** The oldest claims whose watch period ended by then. */
export function claimsEndedBy({ claims }: AddressState, readTo: string): readonly Claim[] {
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
