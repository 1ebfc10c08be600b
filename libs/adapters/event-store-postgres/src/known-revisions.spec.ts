import { KnownRevisions } from './known-revisions';

describe('KnownRevisions', () => {
  it('keeps the highest revision of a stream', () => {
    const known = new KnownRevisions(10);
    known.learn('a', 5);
    known.learn('a', 3);
    expect(known.get('a')).toBe(5);
    known.learn('a', 6);
    expect(known.get('a')).toBe(6);
  });

  it('keeps the streams that were used last and drops the others', () => {
    const known = new KnownRevisions(4);
    for (const stream of ['a', 'b', 'c', 'd', 'a', 'e', 'f', 'g']) known.learn(stream, 1);
    expect(['a', 'e', 'f', 'g'].map((stream) => known.get(stream))).toEqual([1, 1, 1, 1]);
    expect(['b', 'c'].map((stream) => known.get(stream))).toEqual([undefined, undefined]);
  });
});
