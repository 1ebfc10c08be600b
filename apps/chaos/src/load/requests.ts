import { randomUUID } from 'node:crypto';
import type { WriteRequest } from './journal';
import type { LoadAccount } from './load-account';

/** More than any account has. */
const unaffordableDollars = 90_000_000_000;

/** Amount, fixed fee and 0.2 %, rounded half up. Calculated here again, independently of the product. */
function totalOf(dollars: number, cents: number, fixedCents: number, percentage: boolean): string {
  const amount = dollars * 100 + cents;
  return decimal(amount + fixedCents + (percentage ? Math.floor((amount * 2 + 500) / 1_000) : 0));
}

export function decimal(cents: number): string {
  return `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
}

function operation(account: LoadAccount, body: object): WriteRequest {
  return { kind: 'operation', account, path: '/api/v1/operations', body, idempotencyKey: randomUUID() };
}

export function funding(account: LoadAccount, dollars: number): WriteRequest {
  const body = { amount: decimal(dollars * 100) };
  return { kind: 'funding', account, path: '/api/v1/sandbox/funding', body, idempotencyKey: randomUUID() };
}

export function issue(account: LoadAccount, holderId: string, cents: number): WriteRequest {
  const dollars = account.uniqueDollars();
  const amount = decimal(dollars * 100 + cents);
  const expectedTotal = totalOf(dollars, cents, 300, true);
  const name = `card ${dollars}`;
  return operation(account, { type: 'issue', productId: 'virtual-usd', holderId, name, amount, expectedTotal });
}

export function topup(account: LoadAccount, cardId: string, cents: number): WriteRequest {
  const dollars = account.uniqueDollars();
  const amount = decimal(dollars * 100 + cents);
  const expectedTotal = totalOf(dollars, cents, 0, true);
  return operation(account, { type: 'topup', productId: 'virtual-usd', cardId, amount, expectedTotal });
}

/** Of more than the card has now and then. */
export function unload(account: LoadAccount, cardId: string, cents: number): WriteRequest {
  const amount = decimal(account.uniqueDollars() * 100 + cents);
  const request = operation(account, { type: 'unload', cardId, amount, expectedTotal: amount });
  return { ...request, tolerated: ['insufficient_card_balance'] };
}

export function service(account: LoadAccount, cents: number): WriteRequest {
  const dollars = account.uniqueDollars();
  const amount = decimal(dollars * 100 + cents);
  const recipient = `recipient ${dollars}`;
  return operation(account, {
    ...{ type: 'service', productId: 'courier-delivery', recipient, amount, expectedTotal: amount },
  });
}

export const rejections = {
  tooExpensive: (account: LoadAccount): WriteRequest => {
    const amount = decimal((unaffordableDollars + account.uniqueDollars()) * 100);
    const body = { type: 'service', productId: 'courier-delivery', recipient: 'none', amount, expectedTotal: amount };
    return { ...operation(account, body), rejectedWith: ['insufficient_funds'] };
  },
  wrongTotal: (account: LoadAccount): WriteRequest => {
    const dollars = account.uniqueDollars();
    const [amount, expectedTotal] = [decimal(dollars * 100), decimal(dollars * 100 + 1)];
    const body = { type: 'service', productId: 'courier-delivery', recipient: 'none', amount, expectedTotal };
    return { ...operation(account, body), rejectedWith: ['quote_changed'] };
  },
  unknownCard: (account: LoadAccount): WriteRequest => ({
    ...topup(account, randomUUID(), 0),
    rejectedWith: ['not_found'],
  }),
  notAnAmount: (account: LoadAccount): WriteRequest => ({
    ...operation(account, { type: 'service', productId: 'courier-delivery', recipient: 'none', amount: '1e3' }),
    rejectedWith: ['validation_failed'],
  }),
} as const;

export function holder(account: LoadAccount): WriteRequest {
  const externalId = randomUUID();
  const body = { name: `Edith ${externalId.slice(0, 8)}`, email: 'edith@example.com', kind: 'individual', externalId };
  return { kind: 'holder', account, path: '/api/v1/holders', body, idempotencyKey: randomUUID() };
}

export function cardChange(account: LoadAccount, cardId: string, verb: 'freeze' | 'unfreeze'): WriteRequest {
  const path = `/api/v1/cards/${cardId}/${verb}`;
  return { kind: 'card-change', account, path, idempotencyKey: randomUUID() };
}

/** A card payment with a unique merchant, by which the checks find it. */
export function payment(account: LoadAccount, cardId: string, cents: number): WriteRequest {
  const body = { cardId, amount: decimal(cents), merchant: `merchant ${randomUUID()}` };
  return { kind: 'payment', account, path: '/api/v1/sandbox/transactions', body, idempotencyKey: randomUUID() };
}

export function invoice(account: LoadAccount, dollars: number): WriteRequest {
  const body = { amount: String(dollars) };
  const path = '/api/v1/card-account/invoices';
  return { kind: 'invoice', account, path, body, idempotencyKey: randomUUID() };
}

export function invoicePayment(account: LoadAccount, invoiceId: string): WriteRequest {
  return { kind: 'invoice-payment', account, path: `/api/v1/sandbox/invoices/${invoiceId}/complete` };
}
