import { AppendQueue } from './append-queue';
import type { PendingAppend } from './pending-append';

function append(stream: string, events = 1): PendingAppend {
  const event = { id: '', type: '', data: '', metadata: '' };
  const nobody = (): void => undefined;
  return {
    stream,
    expectedRevision: 0,
    events: Array.from({ length: events }, () => event),
    resolve: nobody,
    reject: nobody,
  };
}

describe('AppendQueue', () => {
  const [a1, a2, a3, b1, c1] = [append('a'), append('a'), append('a'), append('b'), append('c')];
  let queue: AppendQueue;

  beforeEach(() => {
    queue = new AppendQueue();
  });

  it('returns one append per stream at a time, in order of arrival', () => {
    for (const item of [a1, a2, b1, a3]) queue.put(item);
    expect(queue.take(10)).toEqual([a1, b1]);
    expect(queue.hasReady).toBe(false);
    queue.settled(a1);
    expect(queue.take(10)).toEqual([a2]);
    queue.put(c1);
    queue.settled(a2);
    expect(queue.take(10)).toEqual([c1, a3]);
    for (const item of [b1, c1, a3]) queue.settled(item);
    expect([queue.size, queue.hasReady]).toEqual([0, false]);
    queue.put(a1);
    expect(queue.take(10)).toEqual([a1]);
  });

  it('returns at most the given number of events, but at least one append', () => {
    const [large, small, smaller] = [append('large', 9), append('small', 2), append('smaller', 1)];
    for (const item of [large, small, smaller]) queue.put(item);
    expect(queue.take(3)).toEqual([large]);
    expect(queue.take(3)).toEqual([small, smaller]);
  });

  it('returns appends that were put back first', () => {
    for (const item of [a1, b1, c1]) queue.put(item);
    const batch = queue.take(2);
    queue.putBack(batch);
    expect(queue.take(10)).toEqual([a1, b1, c1]);
    expect(queue.size).toBe(3);
  });
});
