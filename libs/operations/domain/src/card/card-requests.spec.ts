import { specFor } from '@florin/event-sourcing/testing';
import { deterministicId, isRefusal, randomId, retainedRequests } from '@florin/kernel';
import type { Card, CardState } from './card-state';
import { cardAggregate, cardAnswer } from './card.decider';
import type { CardEvent, CardFrozen, CardIssued, FreezeCard, UnfreezeCard } from './card.messages';

const { given } = specFor(cardAggregate);
const accountId = 'acme-sandbox';
const owner = { cardId: 'c1', companyId: 'acme', environment: 'sandbox' } as const;
const startMs = Date.parse('2030-01-01T00:00:00.000Z');
const at = (ms: number): string => new Date(startMs + ms).toISOString();

const issued: CardIssued = {
  type: 'CardIssued',
  data: {
    ...owner,
    ...{ accountId, operationId: 'op1', holderId: 'h1', productId: 'virtual', name: 'Travel', last4: '4242' },
    ...{ amount: '100.00', createdAt: at(0) },
  },
};
const freeze = (requestId: string, requestedAt: string): FreezeCard => ({
  type: 'FreezeCard',
  data: { cardId: 'c1', accountId, requestId, requestedAt },
});
const unfreeze = (requestId: string, requestedAt: string): UnfreezeCard => ({
  ...freeze(requestId, requestedAt),
  type: 'UnfreezeCard',
});
const frozen = (requestId: string, requestedAt: string): CardFrozen => ({
  type: 'CardFrozen',
  data: { ...owner, requestId, requestedAt, after: { balance: '100.00', available: '100.00' } },
});

/** Freezes and unfreezes the card alternately, once every `everyMs`. */
function changed(count: number, everyMs: number): Card {
  let state: CardState = cardAggregate.evolve(undefined, issued);
  for (let number = 0; number < count; number++) {
    const command = (number % 2 === 0 ? freeze : unfreeze)(`r${number}`, at(number * everyMs));
    const decision = cardAggregate.decide(command, state);
    if (isRefusal(decision)) throw new Error(decision.message);
    for (const event of decision) state = cardAggregate.evolve(state, event);
  }
  return state!;
}

describe('The requests of a card', () => {
  it('are bounded after 20,000 status changes', () => {
    expect(changed(20_000, 1).requests.accepted.size).toBe(retainedRequests.max);
    expect(changed(20_000, 60_000).requests.accepted.size).toBe(retainedRequests.min);
  });

  it('change nothing when they are delivered again, remembered or not', () => {
    const card = changed(20_000, 1);
    expect(cardAggregate.decide(freeze('r19998', at(19_998)), card)).toEqual([]);
    const forgotten = cardAggregate.decide(freeze('r0', at(0)), card);
    expect(forgotten).toMatchObject({ refused: 'request_outdated' });
  });

  it('carry their time and the balance of the card', () => {
    given(issued)
      .when(freeze('r1', at(1)))
      .then(frozen('r1', at(1)));
  });

  it('are remembered permanently if they have a key and are from old events', () => {
    const keyed = deterministicId('acme', 'freeze');
    const old = (requestId: string): CardEvent => ({ type: 'CardFrozen', data: { ...owner, requestId } });
    const random = randomId();
    let state: CardState = [issued, old(keyed), old(random)].reduce(cardAggregate.evolve, undefined);
    const toppedUp = {
      ...owner,
      operationId: 'op2',
      amount: '1.00',
      after: { balance: '101.00', available: '101.00' },
    };
    state = cardAggregate.evolve(state, { type: 'CardToppedUp', data: toppedUp });
    for (let number = 0; number < 20_000; number++) {
      state = cardAggregate.evolve(state, frozen(`r${number}`, at(number)));
    }
    expect([...state!.oldRequests.keys()]).toEqual([keyed]);
    expect(state!.requests.accepted.size).toBe(retainedRequests.max);
    expect(cardAggregate.decide(freeze(keyed, at(30_000)), state)).toEqual([]);
    expect(cardAnswer(state, freeze(keyed, at(30_000)))).toMatchObject({ status: 'frozen', balance: '100.00' });
  });
});
