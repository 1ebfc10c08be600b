import type { Metadata, MoneyText, UsdtText } from '@florin/kernel';
import type { Settlement } from '../address/address.messages';

export const invoiceStatuses = ['creating', 'pending', 'completed', 'expired', 'failed', 'manual_review'] as const;
export type InvoiceStatus = (typeof invoiceStatuses)[number];

/** The terms of the request. They never change. */
export interface InvoiceTerms {
  readonly invoiceId: string;
  readonly companyId: string;
  readonly environment: 'sandbox' | 'live';
  /** The account to credit. */
  readonly accountId: string;
  readonly depositAmount: MoneyText;
  readonly fee: MoneyText;
  readonly creditAmount: MoneyText;
  readonly expiresAt: string;
  readonly createdAt: string;
  /** The page for the payer, with a random token. Absent in old events. */
  readonly paymentUrl?: string;
  /** Absent if the request has none. */
  readonly metadata?: Metadata;
  /** Identifies the content of the request, so that another request with the same id is refused. */
  readonly fingerprint: string;
}

/** The pay address and the exact amount. */
export interface PaymentDetails {
  readonly address: string;
  readonly payAmount: UsdtText;
}

/** An invoice that has ended, with everything that later commands about it depend on. */
export interface EndedInvoice {
  readonly terms: InvoiceTerms;
  readonly phase: 'completed' | 'expired' | 'failed';
  readonly payment?: PaymentDetails;
  /** Earlier than in the terms if the invoice was canceled. Absent in old events. */
  readonly expiresAt?: string;
  readonly canceledBy?: string;
  readonly depositId?: string;
  /** Absent in old events. */
  readonly settlement?: Settlement;
  readonly leftOver?: readonly string[];
  readonly reviews: number;
  readonly granted?: readonly string[];
  readonly resolution?: 'completed' | 'failed';
  readonly events: number;
}

/** The invoice as in the API. */
export interface InvoiceAnswer {
  readonly id: string;
  readonly environment: 'sandbox' | 'live';
  readonly status: InvoiceStatus;
  readonly depositAmount: MoneyText;
  readonly fee: MoneyText;
  readonly creditAmount: MoneyText;
  readonly address: string | null;
  readonly payAmount: UsdtText | null;
  readonly asset: 'USDT';
  readonly network: 'TRON';
  readonly expiresAt: string | null;
  readonly createdAt: string;
  /** The page for the payer. Absent without a pay address. */
  readonly paymentUrl?: string;
  /** Not in replies to commands. */
  readonly metadata?: Metadata;
  /** Only of a completed invoice. */
  readonly settlement?: Settlement;
}
