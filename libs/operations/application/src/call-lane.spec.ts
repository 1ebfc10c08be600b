import { CallLane } from './call-lane';

describe('CallLane', () => {
  it('hands a slot on to whoever has waited longest, and keeps it when nobody does', () => {
    const lane = new CallLane<string>(1);
    expect(lane.take('a', 'first')).toBe(true);
    expect(lane.take('b', 'second')).toBe(false);
    expect(lane.take('c', 'third')).toBe(false);
    expect(lane.handOn()).toBe('second');
    expect(lane.handOn()).toBe('third');
    expect(lane.handOn()).toBeUndefined();
    expect(lane.take('d', 'fourth')).toBe(true);
  });

  it('tells whether a slot is free, and then has it taken', () => {
    const lane = new CallLane<string>(1);
    expect([lane.takeFree(), lane.takeFree(), lane.take('a', 'first')]).toEqual([true, false, false]);
    expect(lane.handOn()).toBe('first');
  });

  it('has nobody wait twice', () => {
    const lane = new CallLane<string>(0);
    lane.take('a', 'first');
    lane.take('a', 'again');
    expect(lane.handOn()).toBe('again');
    expect(lane.handOn()).toBeUndefined();
  });

  it('remembers a bounded number', () => {
    const lane = new CallLane<number>(0);
    for (let item = 0; item < 10_001; item++) lane.take(`${item}`, item);
    let handed = 0;
    while (lane.handOn() !== undefined) handed += 1;
    expect(handed).toBe(10_000);
  });

  it('sends everyone away', () => {
    const lane = new CallLane<string>(0);
    lane.take('a', 'first');
    lane.clear();
    expect(lane.handOn()).toBeUndefined();
  });
});
