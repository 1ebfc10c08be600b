import { expectPinnedState } from '@florin/event-sourcing/testing';
import { formatMoney } from '@florin/kernel';
import { accountAggregate } from './account.decider';
import type { AccountEvent } from './account.messages';
import type { AccountState } from './account.state';
import { retainedClosings } from './reservation-horizon';

const balances = (available: number, held: number) => ({
  after: { available: formatMoney(BigInt(available)), held: formatMoney(BigInt(held)) },
});
const startMs = Date.parse('2030-01-01T00:00:00.000Z');

/** One reservation every ten seconds: one in three is released, the others are captured, the newest stay open. */
function longHistory(reservations: number, open: number): AccountEvent[] {
  const events: AccountEvent[] = [];
  for (let number = 0; number < 3; number++) {
    const facts = { depositId: `d${number}`, reference: `i${number}`, amount: '1000.00', fee: '1.00' };
    const data = { ...facts, description: 'Funding', fingerprint: `f${number}`, ...balances(99_900 * (number + 1), 0) };
    events.push({ type: 'FundsDeposited', data });
  }
  for (let number = 0; number < 2; number++) {
    const facts = { adjustmentId: `a${number}`, reference: `a${number}`, direction: 'credit', amount: '1.00' } as const;
    const proposedBy = { kind: 'operator', id: 'ida' } as const;
    const decision = { requestedAt: new Date(startMs).toISOString(), proposedBy, fourEyesAmount: '1000.00' };
    const data = { ...facts, ...decision, description: 'Correction', fingerprint: `f${number}` };
    events.push({ type: 'AccountAdjusted', data: { ...data, ...balances(299_700, 0) } });
  }
  for (let number = 0; number < reservations; number++) {
    // The released ones alternate between two quotas.
    const quota = number % 3 === 0 ? { name: `issue 2030-0${(number % 2) + 1}`, limit: 500 } : undefined;
    const facts = { reservationId: `r${number}`, reference: `o${number}`, amount: '1.00', description: 'Card', quota };
    const fee = number % 2 === 0 ? '0.10' : undefined;
    const requestedAt = new Date(startMs + number * 10_000).toISOString();
    const request = { fingerprint: `f${number}`, order: { operationId: `r${number}` }, requestedAt };
    events.push({ type: 'FundsReserved', data: { ...facts, fee, ...request, ...balances(299_600, 100) } });
    if (number >= reservations - open) continue;
    const type = number % 3 === 0 ? 'ReservationReleased' : 'ReservationCaptured';
    events.push({ type, data: { ...facts, ...balances(299_700, 0) } });
  }
  for (const [cardId, unloadNumber] of [...unloads, ['c1', 70] as const]) {
    const facts = { refundId: `u${unloadNumber}`, reference: `u${unloadNumber}`, cardId, unloadNumber, amount: '1.00' };
    events.push({ type: 'FundsRefunded', data: { ...facts, description: 'Card unload', ...balances(299_700, 0) } });
  }
  return events;
}

const unloads = [
  ['c1', 1],
  ['c2', 2],
  ['c1', 3],
] as const;

const fold = (events: readonly AccountEvent[]): AccountState =>
  events.reduce(accountAggregate.evolve, accountAggregate.initialState());

describe('The state of an account in a snapshot', () => {
  const state = fold(longHistory(160, 4));

  it('covers every case: dropped reservations and a freed quota', () => {
    expect(state.closed.size).toBe(retainedClosings.min);
    expect(state.horizon).toBe('2030-01-01T00:09:10.000Z');
    expect([...state.open.keys()]).toEqual(['r156', 'r157', 'r158', 'r159']);
    expect([...state.quotas]).toEqual([
      ['issue 2030-01', 1],
      ['issue 2030-02', 1],
    ]);
    expect([...fold(longHistory(160, 0)).quotas]).toEqual([]);
    expect([...state.refunds]).toEqual([
      ['c1', 2n ** 1n + 2n ** 3n + 2n ** 70n],
      ['c2', 2n ** 2n],
    ]);
  });

  it('is pinned to its version', () => {
    expectPinnedState(accountAggregate, longHistory(160, 4), {
      stateVersion: 5,
      hash: '25b5280ffce5def00f43ec16e6fd17f0ec3b031b9c83b2fb1aa203333f5adc84',
    });
  });
});
