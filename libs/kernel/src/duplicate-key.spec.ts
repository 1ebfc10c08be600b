import * as fc from 'fast-check';
import { duplicateKey } from './duplicate-key';

describe('duplicateKey', () => {
  it.each([
    ['{"a":1,"a":2}', 'a'],
    ['{"a":1,"b":2,"a":1}', 'a'],
    ['{"a" : 1 ,\n "a"\t:\r2}', 'a'],
    ['{"a":1,"\\u0061":2}', 'a'],
    ['{"":1,"":2}', ''],
    ['{"a\\"":1,"a\\"":2}', 'a"'],
    ['{"a\\\\":1,"a\\\\":2}', 'a\\'],
    ['{"__proto__":1,"__proto__":2}', '__proto__'],
    ['{"outer":{"a":1,"a":2}}', 'a'],
    ['[{"a":1},{"b":[{"c":1,"c":2}]}]', 'c'],
    ['{"a":{"b":1},"a":2}', 'a'],
    ['{"a":{"a":{"a":1}},"b":{"a":1},"a":0}', 'a'],
  ])('finds the key in %s', (json, key) => {
    expect(() => JSON.parse(json) as unknown).not.toThrow();
    expect(duplicateKey(json)).toBe(key);
  });

  it.each([
    '{}',
    '[]',
    'null',
    '"a"',
    '1',
    '{"a":{"a":1},"b":{"a":2}}',
    '[{"a":1},{"a":1}]',
    '{"a":"b","b":"a"}',
    '{"a":"\\"a\\":1,\\"a\\":2"}',
    '{"a":"{\\"a\\":","b":"}"}',
    '{"a":"\\\\","b":":"}',
    '{"A":1,"a":2}',
    '{"é":1,"e\u0301":2}',
    '{"a":[":","a",{"b":1}],"b":":"}',
  ])('finds none in %s', (json) => {
    expect(() => JSON.parse(json) as unknown).not.toThrow();
    expect(duplicateKey(json)).toBeUndefined();
  });

  it('finds none in anything that JSON.stringify returns', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 2, '\t'), (value, indent) => {
        expect(duplicateKey(JSON.stringify(value, undefined, indent))).toBeUndefined();
      }),
    );
  });

  it('finds a key exactly if JSON.parse drops a member, at any depth', () => {
    type Member = readonly [string, Value];
    type Value = string | number | readonly Member[];
    const key = fc.oneof(fc.constantFrom('a', 'b', '"', '\\', ':', '{'), fc.string({ maxLength: 3 }));
    const { value } = fc.letrec<{ value: Value }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.string(),
        fc.integer(),
        fc.array(fc.tuple(key, tie('value')), { maxLength: 4 }) as fc.Arbitrary<readonly Member[]>,
      ),
    }));
    const textOf = (each: Value): string => {
      if (typeof each !== 'object') return JSON.stringify(each);
      return `{${each.map(([name, member]) => `${JSON.stringify(name)}: ${textOf(member)}`).join(' ,')}}`;
    };
    const written = (each: Value): number =>
      typeof each !== 'object' ? 0 : each.reduce((count, [, member]) => count + 1 + written(member), 0);
    // The reviver is called once for each member that was kept, and once for the whole value.
    const kept = (json: string): number => {
      let members = -1;
      JSON.parse(json, (_name, member: unknown) => {
        members += 1;
        return member;
      });
      return members;
    };
    fc.assert(
      fc.property(value, (each) => {
        const json = textOf(each);
        expect(duplicateKey(json) !== undefined).toBe(written(each) !== kept(json));
      }),
      { numRuns: 500 },
    );
  });
});
