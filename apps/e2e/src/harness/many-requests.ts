import { randomUUID } from 'node:crypto';
import { issue, type Order, service, topup, unload } from './orders';

export const orderCount = 64;

/** A client repeats it until it gets a response. */
export interface Request {
  readonly key: string;
  readonly order: Order;
  /** The operation's id, once a client has received it. */
  id?: string;
}

/** One card gets the top-ups, and the other one is unloaded. */
export interface RequestedCards {
  readonly toppedUp: string;
  readonly unloaded: string;
}

/** Mostly slow responses, so that some calls are always in progress; each amount is unique, and each type gets every response. */
export function requests(holderId: string, cards: RequestedCards): Request[] {
  const centsOfResponses = ['93', '93', '91', '93', '92', '93', '00'];
  const kinds: readonly ((amount: string) => Order)[] = [
    (amount) => issue(holderId, amount),
    (amount) => topup(cards.toppedUp, amount),
    service,
    (amount) => unload(cards.unloaded, amount),
  ];
  return Array.from({ length: orderCount }, (_, index) => {
    const amount = `${100 + index}.${centsOfResponses[index % centsOfResponses.length]}`;
    return { key: randomUUID(), order: kinds[index % kinds.length]!(amount) };
  });
}
