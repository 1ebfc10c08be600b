import fc from 'fast-check';
import { isDeepStrictEqual } from 'node:util';
import { jsonCopy } from './json-copy';

const reference = (value: unknown): unknown => {
  const text = JSON.stringify(value) as string | undefined;
  return text === undefined ? undefined : JSON.parse(text);
};

/** With dates, boxed values, sparse arrays, missing prototypes, symbols and negative zeros. */
const values = fc.anything({
  ...{ withBoxedValues: true, withDate: true, withNullPrototype: true, withSparseArray: true, withMap: true },
  ...{ withSet: true, withTypedArray: true, withObjectString: true },
  key: fc.oneof(fc.string(), fc.constantFrom('__proto__', 'toJSON', 'constructor', '0')),
});

describe('A JSON copy', () => {
  it('equals what JSON makes of the value', () => {
    // Jest compares the members named `constructor` to compare types.
    const property = fc.property(values, (value) => isDeepStrictEqual(jsonCopy(value), reference(value)));
    fc.assert(property, { numRuns: 2_000 });
  });

  it.each([
    ['functions and symbols', { a: () => 1, b: Symbol('b'), c: [() => 1, Symbol('c'), undefined] }],
    ['an own property named __proto__', JSON.parse('{"__proto__":{"a":1},"b":{"__proto__":null}}')],
    ['objects that convert themselves', { a: { toJSON: () => ({ b: -0 }) }, c: [new Date(Number.NaN)] }],
    ['lone surrogates', ['\ud800', { '\udfff': '\udfff\ud800' }]],
  ])('equals it for %s', (_name, value: unknown) => {
    expect(jsonCopy(value)).toStrictEqual(reference(value));
    expect(Object.keys(jsonCopy(value) as object)).toEqual(Object.keys(reference(value) as object));
  });

  it('shares no object with the value', () => {
    const value = { list: [{ text: 'a' }], inner: { empty: {} } };
    const copy = jsonCopy(value) as typeof value;
    copy.list[0]!.text = 'b';
    copy.list.push({ text: 'c' });
    Object.assign(copy.inner.empty, { changed: true });
    expect(value).toEqual({ list: [{ text: 'a' }], inner: { empty: {} } });
  });

  it.each([
    ['a bigint', { amount: 1n }],
    ['a cycle', cyclic()],
  ])('is impossible for %s', (_name, value) => {
    expect(() => jsonCopy(value)).toThrow();
  });
});

function cyclic(): object {
  const value: Record<string, unknown> = {};
  value['self'] = [value];
  return value;
}
