import { BoundedMap } from './bounded-map';

describe('BoundedMap', () => {
  it('drops what was not used for longest', () => {
    const map = new BoundedMap<number>(2);
    map.set('a', 1);
    map.set('b', 2);
    map.get('a');
    map.set('c', 3);
    expect([map.get('a'), map.get('b'), map.get('c')]).toEqual([1, undefined, 3]);
  });

  it('replaces a value without dropping another', () => {
    const map = new BoundedMap<number>(2);
    map.set('a', 1);
    map.set('b', 2);
    map.set('a', 3);
    expect([map.get('a'), map.get('b')]).toEqual([3, 2]);
  });

  it('never holds more than its limit, and always at least half of it', () => {
    const map = new BoundedMap<number>(10);
    for (let count = 0; count < 100; count++) map.set(`${count}`, count);
    const kept = Array.from({ length: 100 }, (_, count) => count).filter((count) => map.get(`${count}`) !== undefined);
    expect(kept.length).toBeLessThanOrEqual(10);
    expect(kept.slice(-5)).toEqual([95, 96, 97, 98, 99]);
  });

  it('forgets what is deleted, however long it was not used', () => {
    const map = new BoundedMap<number>(4);
    for (const key of ['a', 'b', 'c']) map.set(key, 1);
    map.delete('a');
    map.delete('c');
    expect([map.get('a'), map.get('b'), map.get('c')]).toEqual([undefined, 1, undefined]);
  });

  it('can be emptied', () => {
    const map = new BoundedMap<number>(2);
    map.set('a', 1);
    map.clear();
    expect(map.get('a')).toBeUndefined();
  });
});
