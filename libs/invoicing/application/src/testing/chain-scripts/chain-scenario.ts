import type { InvoiceStatus } from '@florin/invoicing-domain';
import type { ChainTestBed, TestBedOptions } from './chain-test-bed';

/** A scenario on a chain and its expected result. */
export interface ChainScenario {
  readonly name: string;
  readonly testBed?: TestBedOptions;
  /** Afterwards the test waits until all final blocks are handled. */
  play(testBed: ChainTestBed): Promise<void>;
  /** The final status of each invoice. Accounts are credited once for each completed invoice, and for nothing else. */
  readonly invoices: Readonly<Record<string, InvoiceStatus>>;
  /** The unmatched deposits in order: the reason, and whether they go to review. */
  readonly unmatched?: readonly Unmatched[];
}

export type Unmatched =
  | 'amount_unknown, no review'
  | 'amount_unknown, for review'
  | 'paid_already, for review'
  | 'invoice_closed, for review';
