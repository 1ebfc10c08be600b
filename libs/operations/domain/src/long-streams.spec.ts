import { longStream } from '@florin/event-sourcing/testing';
import { randomId } from '@florin/kernel';
import { cardAggregate } from './card/card.decider';
import type { CardCommand } from './card/card.messages';
import { holderAggregate } from './holder/holder.decider';
import type { HolderCommand } from './holder/holder.messages';
import { productAggregate } from './product/product.decider';
import type { ProductCommand } from './product/product.messages';

jest.setTimeout(60_000);

const startMs = Date.parse('2030-01-01T00:00:00.000Z');
const at = (seconds: number): string => new Date(startMs + seconds * 1_000).toISOString();
const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, number) => number);

const issue: CardCommand = {
  type: 'IssueCard',
  data: {
    ...{ cardId: '1', companyId: 'acme', environment: 'sandbox', accountId: 'acme-sandbox', operationId: 'o1' },
    ...{ holderId: 'h1', productId: 'virtual', name: 'Travel', last4: '4242', amount: '100.00', createdAt: at(0) },
  },
};
const register = (number: number): HolderCommand => ({
  type: 'RegisterHolder',
  data: {
    ...{ accountId: '1', holderId: `h${number}`, companyId: 'acme', environment: 'live', kind: 'individual' },
    ...{ externalId: `employee-${number}`, status: 'active', sealed: 's'.repeat(200) },
    ...{ requestId: randomId(), fingerprint: 'f'.repeat(64), createdAt: at(number) },
  },
});

describe('A stream that clients or operators can extend without limit loads from a snapshot:', () => {
  it('a card that is frozen and unfrozen', async () => {
    const change = (second: number): CardCommand => ({
      type: second % 2 === 0 ? 'FreezeCard' : 'UnfreezeCard',
      data: { cardId: '1', accountId: 'acme-sandbox', requestId: randomId(), requestedAt: at(second) },
    });
    const { eventsStored, eventsRead } = await longStream(cardAggregate, [issue, ...numbers(7_000).map(change)]);
    expect(eventsStored).toBe(7_001);
    expect(eventsRead).toBeLessThan(2_500);
  });

  it('a card that is topped up', async () => {
    const topUp = (): CardCommand => ({
      type: 'TopUpCard',
      data: { cardId: '1', operationId: randomId(), amount: '1.00' },
    });
    const { eventsStored, eventsRead } = await longStream(cardAggregate, [issue, ...numbers(7_000).map(topUp)]);
    expect(eventsStored).toBe(7_001);
    expect(eventsRead).toBeLessThan(2_500);
  });

  it('the holders of an account, whose status changes', async () => {
    const change = (second: number): HolderCommand => ({
      type: 'SetHolderStatus',
      data: { accountId: '1', holderId: 'h0', status: 'active', requestId: randomId(), requestedAt: at(second) },
    });
    const { eventsStored, eventsRead } = await longStream(holderAggregate, [
      register(0),
      ...numbers(7_000).map(change),
    ]);
    expect(eventsStored).toBe(7_001);
    expect(eventsRead).toBeLessThan(2_500);
  });

  it('many holders of an account', async () => {
    const { eventsStored, eventsRead } = await longStream(holderAggregate, numbers(7_000).map(register));
    expect(eventsStored).toBe(7_000);
    // The state has all holders, so the snapshots are rarer than one per 2,000 events.
    expect(eventsRead).toBeLessThan(4_500);
  });

  it('a product', async () => {
    const define = (second: number): ProductCommand => ({
      type: 'DefineProduct',
      data: {
        ...{ productId: '1', kind: 'card', name: 'Virtual card', currency: 'USD', minimumAmount: '10.00' },
        ...{ fee: { issue: { fixed: '3.00', percent: '0.2' } }, available: true },
        ...{ requestId: randomId(), requestedAt: at(second) },
      },
    });
    const { eventsStored, eventsRead } = await longStream(productAggregate, numbers(7_000).map(define));
    expect(eventsStored).toBe(7_000);
    expect(eventsRead).toBeLessThan(2_500);
  });
});
