import type { AddressEvent, ClaimPayAmount, Deposit, PaymentClaim, RecordDeposit } from '../address.messages';

export const address = 'TReasury1';

export const claimedAt = '2030-01-01T12:00:00.000Z';
export const beforeExpiry = '2030-01-01T12:59:59.999Z';
export const expiresAt = '2030-01-01T13:00:00.000Z';
export const watchedUntil = '2030-01-08T13:00:00.000Z';

export const claim: PaymentClaim = {
  invoiceId: 'i1',
  accountId: 'acme-live',
  payAmount: '100.003127',
  claimedAt,
  expiresAt,
  watchedUntil,
};

export const claimed = (parts: Partial<PaymentClaim> = {}): AddressEvent => {
  return { type: 'PayAmountClaimed', data: { address, ...claim, ...parts } };
};

export const claimFor = (invoiceId: string, parts: Partial<ClaimPayAmount['data']> = {}): ClaimPayAmount => {
  const { accountId } = claim;
  const times = { claimedAt, expiresAt, watchedUntil };
  return {
    type: 'ClaimPayAmount',
    data: { address, invoiceId, accountId, ...times, depositAmount: '100.00', draw: 0, ...parts },
  };
};

export const depositOf = (parts: Partial<Deposit> = {}): Deposit => {
  return {
    depositId: 'd1',
    transactionId: 'ab'.repeat(32),
    logIndex: 0,
    from: 'TSender',
    amount: claim.payAmount,
    blockNumber: 7,
    blockTime: '2030-01-01T12:30:00.000Z',
    ...parts,
  };
};

export const recording = (parts: Partial<Deposit> = {}): RecordDeposit => {
  return { type: 'RecordDeposit', data: { address, deposit: depositOf(parts) } };
};

export const matched = (parts: Partial<Deposit> = {}, late = false): AddressEvent => {
  const { invoiceId, accountId } = claim;
  return { type: 'DepositMatched', data: { address, deposit: depositOf(parts), invoiceId, accountId, late } };
};

export const lost: AddressEvent = {
  type: 'ClaimLost',
  data: { address, invoiceId: claim.invoiceId, accountId: claim.accountId, readTo: expiresAt },
};

type Unmatched = Extract<AddressEvent, { type: 'DepositUnmatched' }>['data'];

export const unmatched = (parts: Partial<Deposit>, facts: Omit<Unmatched, 'address' | 'deposit'>): AddressEvent => {
  return { type: 'DepositUnmatched', data: { address, deposit: depositOf(parts), ...facts } };
};
