export interface Order {
  readonly type: string;
  /** Absent for an unload. */
  readonly productId?: string;
  readonly amount: string;
  readonly expectedTotal: string;
  readonly holderId?: string;
  readonly cardId?: string;
  readonly recipient?: string;
  readonly name?: string;
}

export function cents(amount: string): number {
  const [whole = '', decimals = ''] = amount.split('.');
  return Number(whole) * 100 + Number(decimals.padEnd(2, '0'));
}

export function dollars(amountCents: number): string {
  return `${Math.floor(amountCents / 100)}.${String(amountCents % 100).padStart(2, '0')}`;
}

/** 0.2 % of the amount, rounded half up to the cent. Independent of Florin's own calculation. */
function percentage(amountCents: number): number {
  return Math.floor((amountCents * 2 + 500) / 1_000);
}

function totalOf(amount: string, fixedCents: number): string {
  return dollars(cents(amount) + fixedCents + percentage(cents(amount)));
}

/** Orders at the prices of the demo catalog. */
export function issue(holderId: string, amount = '100.00', fields: Partial<Order> = {}): Order {
  const expectedTotal = totalOf(amount, 300);
  return { type: 'issue', productId: 'virtual-usd', holderId, amount, expectedTotal, ...fields };
}

export function topup(cardId: string, amount = '100.00', fields: Partial<Order> = {}): Order {
  return { type: 'topup', productId: 'virtual-usd', cardId, amount, expectedTotal: totalOf(amount, 0), ...fields };
}

export function service(amount = '25.00', fields: Partial<Order> = {}): Order {
  const recipient = '+31612345678';
  return { type: 'service', productId: 'courier-delivery', recipient, amount, expectedTotal: amount, ...fields };
}

export function unload(cardId: string, amount = '100.00', fields: Partial<Order> = {}): Order {
  return { type: 'unload', cardId, amount, expectedTotal: amount, ...fields };
}

export function without<Fields extends object>(order: Fields, field: keyof Fields): Partial<Fields> {
  return { ...order, [field]: undefined };
}
