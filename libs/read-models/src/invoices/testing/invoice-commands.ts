import { decidedByOne } from '@florin/kernel/testing';
import type { InvoiceCommand, InvoiceTerms } from '@florin/invoicing-domain';
import { formatUsdt, parseMoney } from '@florin/kernel';
import fc from 'fast-check';
import { acme, acmeLive, ida, idOf, type Owner } from '../../testing/owners';

export const createdAt = '2030-01-01T09:59:59.999Z';
export const expiresAt = '2030-01-01T10:59:59.999Z';
export const address = 'TQn9Y2khEsLJW1ChVWFMSMeRDow5KcbLSE';

const idsOf = (number: number, { companyId, environment }: Owner) => ({
  accountId: `${companyId}-${environment}`,
  invoiceId: idOf('invoice', number),
});

export const open = (number: number, owner: Owner, details: Partial<InvoiceTerms> = {}): InvoiceCommand => ({
  type: 'OpenInvoice',
  data: {
    ...idsOf(number, owner),
    ...owner,
    ...{ depositAmount: '100.00', fee: '1.50', creditAmount: '98.50', createdAt, expiresAt, fingerprint: 'f' },
    paymentUrl: paymentUrlOf(number),
    ...details,
  },
});

/** Every invoice has its own page. */
export const paymentUrlOf = (number: number): string => `https://florin.example/pay/token-${number}`;

export const issue = (number: number, owner: Owner, payAmount = '100.003127', at = address): InvoiceCommand => ({
  type: 'IssueInvoice',
  data: { ...idsOf(number, owner), address: at, payAmount },
});

export const abandon = (number: number, owner: Owner): InvoiceCommand => ({
  type: 'AbandonInvoice',
  data: { ...idsOf(number, owner), reason: 'Every address is full' },
});

export const pay = (number: number, owner: Owner, deposit: number, late = false): InvoiceCommand => ({
  type: 'RecordPayment',
  data: {
    ...idsOf(number, owner),
    ...{ address, depositId: idOf('deposit', deposit), late, settlement: settlementOf(deposit) },
  },
});

export const settlementOf = (deposit: number) => ({
  transactionId: deposit.toString(16).padStart(64, 'f'),
  blockNumber: 70_000_000 + deposit,
  blockTime: '2030-01-01T10:05:00.000Z',
});

export const cancel = (number: number, owner: Owner, canceledAt = '2030-01-01T10:30:00.000Z'): InvoiceCommand => ({
  type: 'CancelInvoice',
  data: { ...idsOf(number, owner), requestId: idOf('call', number), canceledAt },
});

export const attribute = (number: number, owner: Owner, deposit: number): InvoiceCommand => ({
  type: 'AttributeDeposit',
  data: {
    ...idsOf(number, owner),
    ...{ address, depositId: idOf('deposit', deposit), note: 'They wrote to us', settlement: settlementOf(deposit) },
  },
});

export const expire = (number: number, owner: Owner): InvoiceCommand => ({
  type: 'ExpireInvoice',
  data: { ...idsOf(number, owner), address },
});

export const complete = (number: number, owner: Owner): InvoiceCommand => ({
  type: 'CompleteInvoice',
  data: idsOf(number, owner),
});

export const review = (number: number, owner: Owner, reviews = 0): InvoiceCommand => ({
  type: 'ReviewInvoice',
  data: { ...idsOf(number, owner), reason: 'The ledger would not take it', reviews },
});

export const resolve = (number: number, owner: Owner, outcome: 'completed' | 'failed'): InvoiceCommand => ({
  type: 'ResolveInvoice',
  data: { ...idsOf(number, owner), outcome, note: 'Ödön\0 said "so"', requestId: outcome, ...decidedByOne },
});

const owners: readonly Owner[] = [acme, acmeLive, ida];

/** Up to twelve digits before the point, the maximum of an invoice. */
const dollars = fc.bigInt(10n, 999_999_999_999n);

/** Few invoices and mostly valid steps, to reach all phases. */
const command = fc
  .tuple(
    fc.nat({ max: 8 }),
    fc.nat({ max: 14 }),
    dollars,
    fc.integer({ min: 1, max: 9_999 }),
    fc.nat({ max: 3 }),
    fc.boolean(),
  )
  .map(([number, step, whole, micro, deposit, yes]): InvoiceCommand => {
    const owner = owners[number % owners.length]!;
    const depositAmount = `${whole}.00`;
    const metadata = yes ? { order: `Ödön ${deposit}`, 'a "key"': '' } : undefined;
    if (step <= 3) return open(number, owner, { depositAmount, creditAmount: depositAmount, fee: '0.00', metadata });
    if (step <= 5) return issue(number, owner, formatUsdt(parseMoney(depositAmount) * 10_000n + BigInt(micro)));
    if (step <= 7) return pay(number, owner, deposit, yes);
    if (step <= 9) return yes ? complete(number, owner) : review(number, owner, deposit);
    if (step === 10) return resolve(number, owner, yes ? 'completed' : 'failed');
    if (step === 11) return attribute(number, owner, deposit);
    if (step === 14) return cancel(number, owner);
    return step === 12 ? expire(number, owner) : abandon(number, owner);
  });

export const invoiceCommands = fc.array(command, { minLength: 50, maxLength: 200, size: 'max' });
