import { sha256 } from '@florin/kernel';
import fc from 'fast-check';
import { generateApiKey, hasKeyFormat } from './api-key';

const environment = fc.constantFrom('sandbox' as const, 'live' as const);

describe('An API key', () => {
  it.each([
    ['sandbox', /^fl_test_[0-9A-Za-z]{49}$/],
    ['live', /^fl_live_[0-9A-Za-z]{49}$/],
  ] as const)('has a prefix for its environment: %s', (name, pattern) => {
    const { key, secretHash, hint } = generateApiKey(name);
    expect(key).toMatch(pattern);
    expect(secretHash).toBe(sha256(key));
    expect(key.endsWith(hint)).toBe(true);
    expect(hint).toHaveLength(4);
  });

  it('is unique', () => {
    const keys = Array.from({ length: 1_000 }, () => generateApiKey('live').key);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('has the format of a key', () => {
    fc.assert(fc.property(environment, (name) => hasKeyFormat(generateApiKey(name).key)));
  });

  it('is rejected if any character is mistyped', () => {
    const character = fc.constantFrom(...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_');
    fc.assert(
      fc.property(environment, fc.nat({ max: 56 }), character, (name, index, other) => {
        const { key } = generateApiKey(name);
        fc.pre(key[index] !== other);
        return !hasKeyFormat(key.slice(0, index) + other + key.slice(index + 1));
      }),
    );
  });

  it.each(['', 'fl_live_', 'sk_live_0000', `fl_prod_${'0'.repeat(49)}`, `fl_live_${'0'.repeat(49)}`])(
    'is rejected if it is %j',
    (text) => expect(hasKeyFormat(text)).toBe(false),
  );

  it('is rejected if the environment changes or characters are added', () => {
    const { key } = generateApiKey('sandbox');
    expect(hasKeyFormat(key.replace('test', 'live'))).toBe(false);
    expect(hasKeyFormat(`${key} `)).toBe(false);
    expect(hasKeyFormat(`${key}\n`)).toBe(false);
  });
});
