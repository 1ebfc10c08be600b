import { decidedByOne } from '@florin/kernel/testing';
import type { AddressCommand, Deposit } from '@florin/invoicing-domain';
import { formatUsdt } from '@florin/kernel';
import fc from 'fast-check';
import { acmeLive, idOf } from '../../testing/owners';

export const address = 'TQn9Y2khEsLJW1ChVWFMSMeRDow5KcbLSE';
export const other = 'TXLAQ63Xg1NAzckPwKHvzw7CSEmLMEqcdj';
export const sender = 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8';
export const accountId = `${acmeLive.companyId}-live`;
/** The maximum amount of the contract. */
export const largest = formatUsdt(2n ** 256n - 1n);

/** Noon plus this many seconds. */
export const noon = (second = 0): string =>
  new Date(Date.parse('2030-01-01T12:00:00.000Z') + second * 1_000).toISOString();

export const claim = (invoice: number, at = address): AddressCommand => ({
  type: 'ClaimPayAmount',
  data: {
    ...{ address: at, invoiceId: idOf('invoice', invoice), accountId, depositAmount: '100.00', draw: invoice },
    ...{ claimedAt: noon(), expiresAt: noon(60), watchedUntil: noon(600) },
  },
});

export const transaction = (number: number): string => number.toString(16).padStart(64, 'f');

export const depositOf = (number: number, amount: string, details: Partial<Deposit> = {}): Deposit => ({
  depositId: idOf('deposit', number),
  transactionId: transaction(number),
  logIndex: number,
  from: sender,
  amount,
  blockNumber: 70_000_000 + number,
  blockTime: noon(number),
  ...details,
});

export const arrive = (number: number, amount: string, details?: Partial<Deposit>, at = address): AddressCommand => ({
  type: 'RecordDeposit',
  data: { address: at, deposit: depositOf(number, amount, details) },
});

export const close = (readTo: string, at = address): AddressCommand => ({
  type: 'CloseClaims',
  data: { address: at, readTo },
});

export const dismiss = (number: number, at = address): AddressCommand => ({
  type: 'ResolveDeposit',
  data: {
    ...{ address: at, depositId: idOf('deposit', number), outcome: 'failed' },
    ...{ note: 'Sent back "to\0" {them}', requestId: 'dismiss', now: '2030-01-02T00:00:00.000Z' },
    ...decidedByOne,
  },
});

export const attribute = (number: number, invoice: number, at = address): AddressCommand => ({
  type: 'ResolveDeposit',
  data: {
    ...{ address: at, depositId: idOf('deposit', number), outcome: 'completed', note: 'They wrote to us' },
    ...{ invoiceId: idOf('invoice', invoice), accountId, requestId: 'attribute', now: '2030-01-02T00:00:00.000Z' },
    ...decidedByOne,
  },
});

/** Returns a matched deposit, or one that the decision with this `requestId` attributed. */
export const giveBack = (number: number, invoice: number, at = address, requestId?: string): AddressCommand => ({
  type: 'ReturnDeposit',
  data: { address: at, depositId: idOf('deposit', number), invoiceId: idOf('invoice', invoice), requestId },
});

/** Amounts of the contract, and the pay amounts that the address has allocated. */
export interface Step {
  readonly place: string;
  readonly kind: 'claim' | 'pay' | 'arrive' | 'close' | 'dismiss' | 'attribute' | 'giveBack';
  readonly number: number;
  readonly invoice: number;
  readonly amount: string;
}

const kinds: readonly Step['kind'][] = ['claim', 'claim', 'pay', 'pay', 'pay', 'arrive', 'arrive', 'close'];
const decisions: readonly Step['kind'][] = ['dismiss', 'attribute', 'giveBack'];

/** Few deposits at two addresses, mostly with claimed amounts. */
export const steps = fc.array(
  fc.record({
    place: fc.constantFrom(address, other),
    kind: fc.constantFrom(...kinds, ...decisions),
    number: fc.nat({ max: 12 }),
    invoice: fc.nat({ max: 3 }),
    amount: fc.bigInt(1n, 2n ** 256n - 1n).map(formatUsdt),
  }),
  { minLength: 30, maxLength: 100, size: 'max' },
);
