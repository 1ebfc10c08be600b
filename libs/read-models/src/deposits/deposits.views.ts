import type { Deposit, DepositResolved, DepositUnmatched } from '@florin/invoicing-domain';
import type { ResolvedBy } from '../operations/operations.views';

export const depositStatuses = ['matched', 'unmatched', 'resolved'] as const;
/** `resolved`: an operator decided about an unmatched deposit. */
export type DepositStatus = (typeof depositStatuses)[number];

export interface DepositFilter {
  readonly status?: DepositStatus;
}

export type DepositResolution = Pick<DepositResolved['data'], 'outcome' | 'note' | 'invoiceId' | 'resolvedAt'> &
  ResolvedBy;

/** A deposit as operators see it. */
export interface DepositView extends Omit<Deposit, 'depositId'> {
  readonly id: string;
  readonly status: DepositStatus;
  readonly address: string;
  /** Matched deposits: too late to be credited automatically. */
  readonly late?: boolean;
  /** Unmatched deposits only. */
  readonly reason?: DepositUnmatched['data']['reason'];
  /** Whether an operator has to decide, or has decided. */
  readonly forReview: boolean;
  /** The invoice that was matched by amount or by an operator, and its owner. */
  readonly invoiceId?: string;
  readonly companyId?: string;
  readonly environment?: 'sandbox' | 'live';
  readonly resolution?: DepositResolution;
}
