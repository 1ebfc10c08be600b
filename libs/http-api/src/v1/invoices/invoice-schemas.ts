import type { InvoiceStatus } from '@florin/invoicing-domain';
import { z } from 'zod';
import { exampleIds, invoiceId } from '../../ids';
import { amountOf, environment, explainedEnum, metadata, metadataSchema, money, timestamp } from '../../schemas';

export const invoiceStatus = explainedEnum<InvoiceStatus>('InvoiceStatus', 'The status of a funding invoice', {
  creating: 'The invoice has no address yet',
  pending: 'The invoice can be paid',
  completed: 'The invoice was paid, and the account was credited',
  expired: 'The invoice was not paid in time',
  failed: 'The invoice could not be created, or an operator rejected its payment',
  manual_review: 'A payment arrived late or could not be credited; an operator has to decide',
});

export const exampleInvoice = {
  id: exampleIds.invoice,
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
  paymentUrl: 'https://api.example.com/pay/Zt3vWq8mKx1nR5uYcA7eLb2sHd9fGj4P',
};

/** An amount of USDT in a response, always with all six decimals, because the payment must match exactly. */
export const usdt = z
  .string()
  .regex(/^\d+\.\d{6}$/)
  .meta({ id: 'UsdtAmount', description: 'USDT, always six decimals', examples: ['100.003127'] });

/** A TRON address in Base58Check. */
export const tronAddress = z.string().meta({
  id: 'TronAddress',
  description: 'A TRON address in Base58Check',
  examples: ['TEXAMPLEaddressWhichNobodyHasEver1'],
});

export const exampleSettlement = {
  transactionId: '9f2c4b7e1d5a8f30c6e2b4971a3d5f708c6e1b2d4f5a7980b3c1d2e4f5a69788',
  blockNumber: 65_000_123,
  blockTime: '2030-01-31T12:20:03.000Z',
};

const settlement = z
  .strictObject({
    transactionId: z.string().meta({ description: 'The id of the transaction on TRON' }),
    blockNumber: z.int().nonnegative().meta({ description: 'The number of its block; 0 in the sandbox' }),
    blockTime: timestamp,
  })
  .meta({ id: 'Settlement', description: 'The transfer that paid an invoice', examples: [exampleSettlement] });

/** The fields of an invoice in both APIs. */
export const invoiceFields = {
  id: invoiceId,
  environment,
  status: invoiceStatus,
  depositAmount: money.meta({ description: 'The amount to deposit' }),
  fee: money.meta({ description: 'The fee of 1.5 %, deducted from the deposit', examples: ['1.50'] }),
  creditAmount: money.meta({ description: 'The amount to credit: depositAmount − fee', examples: ['98.50'] }),
  address: tronAddress.nullable().meta({ description: 'The TRON address to pay to; null if none is assigned' }),
  payAmount: usdt.nullable().meta({
    description: 'The exact amount to transfer. It identifies the payment, so never round it',
    examples: ['100.003127'],
  }),
  asset: z.literal('USDT').meta({ description: 'What to transfer' }),
  network: z.literal('TRON').meta({ description: 'Where to transfer it' }),
  expiresAt: timestamp.nullable().meta({ description: 'The payment must be in a block before this time' }),
  createdAt: timestamp,
  paymentUrl: z
    .url()
    .optional()
    .meta({
      description:
        'A page for the payer: address, amount, QR code, countdown and state. Everyone who knows the address can open it. ' +
        'Absent without `address`',
      examples: [exampleInvoice.paymentUrl],
    }),
  metadata: metadata.optional(),
  settlement: settlement.optional().meta({
    description: 'The transfer that paid a `completed` invoice; absent if an earlier release completed it',
  }),
};

export const invoice = z
  .strictObject(invoiceFields)
  .meta({ id: 'FundingInvoice', description: 'An invoice that funds the card account', examples: [exampleInvoice] });

export const invoiceBody = z
  .strictObject({
    amount: amountOf(
      'The amount that you will deposit, in whole US dollars, at least 10. The fee is deducted from it',
      '100',
    ).refine((amount) => amount.endsWith('.00'), { error: 'must be whole US dollars, such as "100" or "100.00"' }),
    metadata: metadataSchema.optional(),
  })
  .meta({ id: 'InvoiceCreation', description: 'A new invoice' });
