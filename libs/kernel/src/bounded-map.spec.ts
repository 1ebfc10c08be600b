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

  it('can be emptied', () => {
    const map = new BoundedMap<number>(2);
    map.set('a', 1);
    map.clear();
    expect(map.get('a')).toBeUndefined();
  });
});
