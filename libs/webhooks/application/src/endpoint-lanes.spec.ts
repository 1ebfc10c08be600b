import type { ClaimedDelivery } from './delivery-queue.port';
import { EndpointLanes, type Turn } from './endpoint-lanes';

const deliveryTo = (endpointId: string): ClaimedDelivery => ({
  ...{ id: '', eventId: 'evt_', endpointId, accountId: '', environment: 'sandbox', url: '', body: '' },
  ...{ secrets: [], revision: 0, attempts: 0, claim: '', claimedUntil: new Date(0) },
});

/** Lanes with so many deliveries at each of the endpoints, and a way to start all that may start. */
function lanesOf(counts: Readonly<Record<string, number>>, limits = { slots: 8, perEndpoint: 4 }) {
  const lanes = new EndpointLanes(limits);
  for (const [endpointId, count] of Object.entries(counts)) {
    for (let index = 0; index < count; index++) lanes.add(deliveryTo(endpointId));
  }
  const takeAll = (): Turn[] => {
    const turns: Turn[] = [];
    for (let turn = lanes.take(); turn; turn = lanes.take()) turns.push(turn);
    return turns;
  };
  return { lanes, takeAll };
}

const namesOf = (turns: readonly Turn[]): string => turns.map(({ delivery }) => delivery.endpointId).join('');

describe('EndpointLanes', () => {
  it('begins with one attempt at each endpoint, and doubles with every success up to the limit', () => {
    const { takeAll } = lanesOf({ a: 30 });
    let turns = takeAll();
    const widths = [];
    for (; widths.length < 5; turns = takeAll()) {
      widths.push(turns.length);
      for (const turn of turns) turn.end(true);
    }
    expect(widths).toEqual([1, 2, 4, 4, 4]);
  });

  it('lets endpoints take turns, however many deliveries one of them has', () => {
    const { takeAll } = lanesOf({ a: 100, b: 3, c: 3 }, { slots: 3, perEndpoint: 4 });
    const order = [];
    for (let turns = takeAll(); order.length < 9; turns = takeAll()) {
      order.push(...namesOf(turns));
      for (const turn of turns) turn.end(true);
    }
    expect([...order].sort().join('')).toBe('aaabbbccc');
  });

  it('goes back to one attempt after a failure', () => {
    const { takeAll } = lanesOf({ a: 30 });
    for (let round = 0; round < 3; round++) for (const turn of takeAll()) turn.end(true);
    const [failed, ...others] = takeAll();
    failed!.end(false);
    expect(takeAll()).toEqual([]);
    for (const turn of others) turn.end(false);
    expect(takeAll()).toHaveLength(1);
  });

  it('keeps slots for those that answer, however many hang', () => {
    const hanging = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`hanging ${index}`, 5]));
    const { lanes, takeAll } = lanesOf(hanging);
    const found: Turn[] = [];
    for (let turns = takeAll(); turns.length > 0; turns = takeAll()) {
      for (const turn of turns) turn.takesLong();
      found.push(...turns);
    }
    // Each was tried once, at the cost of a moment, and none keeps a slot of those that answer.
    expect(found).toHaveLength(50);
    for (let index = 0; index < 8; index++) lanes.add(deliveryTo(`healthy ${index}`));
    expect(takeAll()).toHaveLength(8);
  });

  it('goes on with those that failed, a few at a time', () => {
    const { takeAll } = lanesOf({ a: 3, b: 3, c: 3, d: 3 });
    for (const turn of takeAll()) turn.end(false);
    const few = takeAll();
    expect(few).toHaveLength(2);
    for (const turn of few) turn.end(true);
    // Those two are trusted again, and so have left their slots to the others.
    expect(namesOf(takeAll())).toBe('abcd');
  });

  it('asks for more when half of what it keeps at hand is gone, and for little of those that fail', () => {
    const { lanes, takeAll } = lanesOf({ a: 64 });
    expect([lanes.roomOf('a'), lanes.roomOf('unknown')]).toEqual([0, 64]);
    let done = 0;
    for (; lanes.roomOf('a') === 0; done++) takeAll()[0]!.end(true);
    expect([done, lanes.roomOf('a')]).toEqual([32, 32]);
    takeAll()[0]!.end(false);
    expect(lanes.roomOf('a')).toBe(0);
  });

  it('learns nothing from what was not sent', () => {
    const { lanes, takeAll } = lanesOf({ a: 3 });
    takeAll()[0]!.end();
    expect(takeAll()).toHaveLength(1);
    expect(lanes.isIdle).toBe(false);
  });

  it('gives back what waits at one endpoint, and goes on with the others', () => {
    const { lanes, takeAll } = lanesOf({ a: 5, b: 2 });
    const turns = takeAll();
    expect([lanes.drop('a').length, lanes.drop('a').length, lanes.drop('unknown').length]).toEqual([4, 0, 0]);
    for (const turn of turns) turn.end(true);
    const [last, ...others] = takeAll();
    expect([last!.delivery.endpointId, others.length]).toEqual(['b', 0]);
    last!.end(true);
    expect([lanes.isIdle, lanes.roomOf('a')]).toEqual([true, 64]);
  });

  it('gives everything back that waits, and is idle when nothing is under way', () => {
    const { lanes, takeAll } = lanesOf({ a: 5, b: 5 });
    const turns = takeAll();
    expect(lanes.clear()).toHaveLength(8);
    expect(lanes.isIdle).toBe(false);
    for (const turn of turns) turn.end(true);
    expect([lanes.isIdle, takeAll().length]).toEqual([true, 0]);
  });
});
