import type { Order } from '../../operation/operation.messages';
import type { CardEvent, CardIssued, CardUnloaded, UnloadReleased, UnloadReserved } from '../card.messages';

export const accountId = 'acme-sandbox';
export const owner = { cardId: 'c1', companyId: 'acme', environment: 'sandbox' } as const;

/** A card with 100.00. */
export const issued: CardIssued = {
  type: 'CardIssued',
  data: {
    ...owner,
    ...{ accountId, operationId: 'op0', holderId: 'h1', productId: 'virtual', name: 'Travel', last4: '4242' },
    ...{ cardReference: 'issuer-1', amount: '100.00', createdAt: '2030-01-01T00:00:00.000Z' },
  },
};

export const unloadOrder = (operationId: string, amount: string, changes: Partial<Order> = {}): Order => ({
  ...{ operationId, companyId: 'acme', environment: 'sandbox', accountId, type: 'unload', productId: 'virtual' },
  ...{ amount, fee: '0.00', total: amount, cardId: 'c1', fingerprint: 'f1', createdAt: '2030-01-02T00:00:00.000Z' },
  ...changes,
});

const money = (balance: string, available: string) => ({ after: { balance, available } });

export const unloadReserved = (
  order: Order,
  unloadNumber: number,
  balance: string,
  available: string,
): UnloadReserved => ({
  type: 'UnloadReserved',
  data: {
    ...{ ...owner, operationId: order.operationId, amount: order.amount, order: { ...order, unloadNumber } },
    ...money(balance, available),
  },
});

export const cardUnloaded = (order: Order, unloadNumber: number, balance: string, available: string): CardUnloaded => ({
  type: 'CardUnloaded',
  data: { ...owner, operationId: order.operationId, amount: order.amount, unloadNumber, ...money(balance, available) },
});

export const unloadReleased = (order: Order, balance: string, available: string): UnloadReleased => ({
  type: 'UnloadReleased',
  data: { ...owner, operationId: order.operationId, amount: order.amount, ...money(balance, available) },
});

export const statusEvent = (type: 'CardFrozen' | 'CardClosed', balance: string): CardEvent => ({
  type,
  data: { ...owner, requestId: `${type} ${balance}`, ...money(balance, balance) },
});
