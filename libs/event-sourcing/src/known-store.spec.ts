import { EventStoreMismatch, isStoreMismatch, KnownStore } from './known-store';

describe('KnownStore', () => {
  const store = (): KnownStore => new KnownStore((difference) => `Another store: ${difference}.`);

  it('accepts everything until an identity is expected', () => {
    const known = store();
    known.saw(5n);
    expect(() => known.require({ id: undefined, end: 0n }, known.end)).not.toThrow();
  });

  it.each([
    [{ id: undefined, end: 9n }, 'it has no identity, and a is expected'],
    [{ id: 'b', end: 9n }, 'it is b, not a'],
    [{ id: 'a', end: 4n }, 'it ends at 4, before position 5 that was read from it, so it is an older copy'],
  ])('rejects %p', (found, difference) => {
    const known = store();
    known.expect('a');
    known.saw(5n);
    known.saw(3n);
    expect(() => known.require(found, known.end)).toThrow(new EventStoreMismatch(`Another store: ${difference}.`));
  });

  it('accepts the same store, also with newer events', () => {
    const known = store();
    known.expect('a');
    known.saw(5n);
    for (const end of [5n, 6n]) expect(() => known.require({ id: 'a', end }, known.end)).not.toThrow();
  });
});

describe('isStoreMismatch', () => {
  it('recognizes the name of the error, which is what a bus transmits, also as a cause', () => {
    const transmitted = Object.assign(new Error('another store'), { name: 'EventStoreMismatch' });
    expect(isStoreMismatch(new Error('no reply', { cause: transmitted }))).toBe(true);
    expect(isStoreMismatch(new Error('no reply'))).toBe(false);
  });
});
