import type { InvoiceStatus } from '@florin/invoicing-domain';
import type { ChainTestBed, TestBedOptions } from './chain-test-bed';

/** Something that happens on a chain, and all that must come of it. */
export interface ChainScenario {
  readonly name: string;
  readonly testBed?: TestBedOptions;
  /** At the end everything final is read, and everything that follows from it has followed. */
  play(testBed: ChainTestBed): Promise<void>;
  /** What each invoice is in the end. An account is credited for those that are completed, once each, and for nothing else. */
  readonly invoices: Readonly<Record<string, InvoiceStatus>>;
  /** Deposits that nobody asked for, in their order: why, and whether an operator is told. */
  readonly unmatched?: readonly Unmatched[];
}

export type Unmatched =
  | 'amount_unknown, nobody is told'
  | 'amount_unknown, for review'
  | 'paid_already, for review'
  | 'invoice_closed, for review';
