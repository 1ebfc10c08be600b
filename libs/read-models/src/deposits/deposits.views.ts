import type { Deposit, DepositResolved, DepositUnmatched } from '@florin/invoicing-domain';

export const depositStatuses = ['matched', 'unmatched', 'resolved'] as const;
/** `resolved`: an operator has decided about an unmatched one. */
export type DepositStatus = (typeof depositStatuses)[number];

export interface DepositFilter {
  readonly status?: DepositStatus;
}

export type DepositResolution = Pick<DepositResolved['data'], 'outcome' | 'note' | 'invoiceId' | 'resolvedAt'>;

/** What arrived at an address, as operators see it. */
export interface DepositView extends Omit<Deposit, 'depositId'> {
  readonly id: string;
  readonly status: DepositStatus;
  readonly address: string;
  /** Of a matched one: it came too late to be credited by itself. */
  readonly late?: boolean;
  /** Of an unmatched one: why. */
  readonly reason?: DepositUnmatched['data']['reason'];
  /** Whether an operator has to decide about it, or had to. */
  readonly forReview: boolean;
  /** The invoice whose amount it is, or which an operator found to be meant; then also whose invoice that is. */
  readonly invoiceId?: string;
  readonly companyId?: string;
  readonly environment?: 'sandbox' | 'live';
  readonly resolution?: DepositResolution;
}
