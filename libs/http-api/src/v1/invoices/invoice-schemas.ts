import { invoiceStatuses } from '@florin/invoicing-domain';
import { z } from 'zod';
import { amountOf, environment, id, money, timestamp } from '../../schemas';

export const invoiceStatus = z.enum(invoiceStatuses);

export const exampleInvoice = {
  id: '0f8b4a4e-2f0c-5c4e-9d53-5b6a9d3c1e57',
  environment: 'live',
  status: 'pending',
  depositAmount: '100.00',
  fee: '1.50',
  creditAmount: '98.50',
  address: 'TEXAMPLEaddressWhichNobodyHasEver1',
  payAmount: '100.003127',
  asset: 'USDT',
  network: 'TRON',
  expiresAt: '2030-01-31T13:00:00.000Z',
  createdAt: '2030-01-31T12:00:00.000Z',
};

/** An amount of USDT in an answer. It is paid to the last digit, and therefore never shortened. */
export const usdt = z
  .string()
  .regex(/^\d+\.\d{6}$/)
  .meta({ description: 'USDT, always six decimals', examples: ['100.003127'] });

/** The address of a TRON account, as people write it. */
export const tronAddress = z.string().meta({ examples: ['TEXAMPLEaddressWhichNobodyHasEver1'] });

/** What an invoice is, wherever it is shown. */
export const invoiceFields = {
  id,
  environment,
  status: invoiceStatus,
  depositAmount: money.meta({ description: 'What is to be deposited' }),
  fee: money.meta({ description: 'Deducted from the deposit: 1.5 %', examples: ['1.50'] }),
  creditAmount: money.meta({ description: 'depositAmount − fee: what is credited', examples: ['98.50'] }),
  address: tronAddress.nullable().meta({ description: 'Where to pay; null while there is no such place' }),
  payAmount: usdt.nullable().meta({
    description: 'Exactly what to transfer, to the last digit: by it the payment is recognised. Never round it',
    examples: ['100.003127'],
  }),
  asset: z.literal('USDT'),
  network: z.literal('TRON'),
  expiresAt: timestamp.nullable().meta({ description: 'The payment must be in a block before this instant' }),
  createdAt: timestamp,
};

export const invoice = z.strictObject(invoiceFields).meta({ id: 'FundingInvoice', examples: [exampleInvoice] });

export const invoiceBody = z.strictObject({
  amount: amountOf(
    'What you will deposit, in whole US dollars, at least 10; the fee is deducted from it',
    '100',
  ).refine((amount) => amount.endsWith('.00'), { error: 'must be whole US dollars, such as "100" or "100.00"' }),
});
