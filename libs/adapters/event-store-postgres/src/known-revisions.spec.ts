import { KnownRevisions } from './known-revisions';

describe('known revisions', () => {
  it('only ever grow', () => {
    const known = new KnownRevisions(10);
    known.learn('a', 5);
    known.learn('a', 3);
    expect(known.get('a')).toBe(5);
    known.learn('a', 6);
    expect(known.get('a')).toBe(6);
  });

  it('are kept for the streams named last and forgotten for the others', () => {
    const known = new KnownRevisions(3);
    for (const stream of ['a', 'b', 'c', 'd', 'a', 'e', 'f', 'g']) known.learn(stream, 1);
    expect(['a', 'e', 'f', 'g'].map((stream) => known.get(stream))).toEqual([1, 1, 1, 1]);
    expect(['b', 'c'].map((stream) => known.get(stream))).toEqual([undefined, undefined]);
  });

  it('survive a change of generations with the highest value', () => {
    const known = new KnownRevisions(1);
    known.learn('a', 9);
    known.learn('b', 1);
    known.learn('a', 2);
    expect(known.get('a')).toBe(9);
  });
});
