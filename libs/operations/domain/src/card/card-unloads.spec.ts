import { specFor } from '@florin/event-sourcing/testing';
import { retainedRequests } from '@florin/kernel';
import type { Order } from '../operation/operation.messages';
import type { CardState } from './card-state';
import { cardAggregate } from './card.decider';
import type { CaptureUnload, CardEvent, ReleaseUnload, ReserveUnload } from './card.messages';
import {
  accountId,
  cardUnloaded,
  issued,
  statusEvent,
  unloadOrder,
  unloadReleased,
  unloadReserved,
} from './testing/sample-card';

const { given } = specFor(cardAggregate);

const reserve = (order: Order, changes: Partial<ReserveUnload['data']> = {}): ReserveUnload => {
  const { operationId, amount, createdAt: requestedAt } = order;
  return {
    type: 'ReserveUnload',
    data: { cardId: 'c1', accountId, operationId, amount, order, requestedAt, ...changes },
  };
};
const capture = (operationId: string): CaptureUnload => ({
  type: 'CaptureUnload',
  data: { cardId: 'c1', operationId },
});
const release = (operationId: string): ReleaseUnload => ({
  type: 'ReleaseUnload',
  data: { cardId: 'c1', operationId },
});

const first = unloadOrder('op1', '40.00');
const reserved = unloadReserved(first, 1, '100.00', '60.00');
const unloaded = cardUnloaded(first, 1, '60.00', '60.00');
const released = unloadReleased(first, '100.00', '100.00');

describe('ReserveUnload', () => {
  it('reduces what is available and stores the order with its number', () => {
    given(issued).when(reserve(first)).then(reserved);
  });

  it('may reserve everything that is available, but not one cent more', () => {
    const all = unloadOrder('op2', '60.00');
    given(issued, reserved)
      .when(reserve(all))
      .then(unloadReserved(all, 2, '100.00', '0.00'));
    given(issued, reserved)
      .when(reserve(unloadOrder('op2', '60.01')))
      .thenRefused('insufficient_card_balance');
  });

  it('never uses a number twice', () => {
    const second = unloadOrder('op2', '1.00');
    given(issued, reserved, unloaded)
      .when(reserve(second))
      .then(unloadReserved(second, 2, '60.00', '59.00'));
    given(issued, reserved, released)
      .when(reserve(second))
      .then(unloadReserved(second, 2, '100.00', '99.00'));
  });

  it('changes nothing when it is repeated, before and after the unload has ended', () => {
    given(issued, reserved).when(reserve(first)).then();
    given(issued, reserved, unloaded).when(reserve(first)).then();
    given(issued, reserved, released).when(reserve(first)).then();
  });

  it('refuses another request under a known id before it checks the money', () => {
    given(issued, reserved)
      .when(reserve(unloadOrder('op1', '500.00', { fingerprint: 'other' })))
      .thenRefused('idempotency_conflict');
  });

  it('refuses a request from before the horizon, because it may have ended', () => {
    const startMs = Date.parse(first.createdAt);
    const past: CardEvent[] = [];
    for (let number = 1; number <= retainedRequests.min + 1; number++) {
      const createdAt = new Date(startMs + number * retainedRequests.forMs).toISOString();
      const order = unloadOrder(`past${number}`, '1.00', { createdAt });
      past.push(unloadReserved(order, number, '100.00', '99.00'), unloadReleased(order, '100.00', '100.00'));
    }
    given(issued, ...past)
      .when(reserve(first))
      .thenRefused('request_outdated');
  });

  it('is allowed for a frozen card, and for a closed one only if money is left on it', () => {
    given(issued, statusEvent('CardFrozen', '100.00')).when(reserve(first)).then(reserved);
    given(issued, statusEvent('CardClosed', '100.00')).when(reserve(first)).then(reserved);
    const all = unloadOrder('op2', '100.00');
    const empty = [unloadReserved(all, 1, '100.00', '0.00'), cardUnloaded(all, 1, '0.00', '0.00')];
    given(issued, ...empty, statusEvent('CardClosed', '0.00'))
      .when(reserve(first))
      .thenRefused('card_not_active');
  });

  it("refuses an unknown card and another account's card alike", () => {
    given().when(reserve(first)).thenRefused('not_found');
    given(issued)
      .when(reserve(first, { accountId: 'ida-live' }))
      .thenRefused('not_found');
  });

  it('throws on an amount of zero', () => {
    given(issued)
      .when(reserve(unloadOrder('op1', '0.00')))
      .thenThrows(/Invariant/);
  });
});

describe('CaptureUnload', () => {
  it('takes the amount off the card once', () => {
    given(issued, reserved).when(capture('op1')).then(unloaded);
    given(issued, reserved, unloaded).when(capture('op1')).then();
  });

  it('refuses a released and an unknown unload', () => {
    given(issued, reserved, released).when(capture('op1')).thenRefused('unload_released');
    given(issued).when(capture('op1')).thenRefused('unload_unknown');
  });
});

describe('ReleaseUnload', () => {
  it('returns the amount to the card once', () => {
    given(issued, reserved).when(release('op1')).then(released);
    given(issued, reserved, released).when(release('op1')).then();
  });

  it('refuses a captured and an unknown unload', () => {
    given(issued, reserved, unloaded).when(release('op1')).thenRefused('unload_captured');
    given(issued).when(release('op1')).thenRefused('unload_unknown');
  });
});

describe('The unloads of a card', () => {
  it('keep a bounded memory of those that have ended', () => {
    let state: CardState = cardAggregate.evolve(undefined, issued);
    const startMs = Date.parse(first.createdAt);
    for (let number = 1; number <= 1_000; number++) {
      const order = unloadOrder(`u${number}`, '1.00', { createdAt: new Date(startMs + number * 60_000).toISOString() });
      state = cardAggregate.evolve(state, unloadReserved(order, number, '100.00', '99.00'));
      state = cardAggregate.evolve(state, unloadReleased(order, '100.00', '100.00'));
    }
    expect(state?.unloads).toMatchObject({ lastNumber: 1_000, reserved: new Map() });
    expect(state?.unloads.ended.accepted.size).toBe(retainedRequests.min);
  });
});
