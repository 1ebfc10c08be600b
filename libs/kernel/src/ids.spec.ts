import * as fc from 'fast-check';
import { deterministicId, isUuid, randomId } from './ids';

describe('deterministicId', () => {
  it('is a fixed function: a stored id must never change its meaning', () => {
    expect(deterministicId('acme', 'sandbox', 'POST /x', 'key-1')).toBe('ce42474e-b8f1-5f1a-a806-b4dc3478547e');
  });

  it('is a version 5 UUID', () => {
    expect(deterministicId('a')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('distinguishes different parts, wherever they are split', () => {
    const parts = fc.array(fc.string(), { maxLength: 4 });
    fc.assert(
      fc.property(parts, parts, (one, two) => {
        const same = JSON.stringify(one) === JSON.stringify(two);
        expect(deterministicId(...one) === deterministicId(...two)).toBe(same);
      }),
    );
    expect(deterministicId('ab', 'c')).not.toBe(deterministicId('a', 'bc'));
  });
});

describe('isUuid', () => {
  it('distinguishes ids from other texts', () => {
    expect(isUuid(randomId())).toBe(true);
    expect(['', 'x', 'urn:uuid:0', randomId().toUpperCase(), 1, undefined].map(isUuid)).not.toContain(true);
  });
});
