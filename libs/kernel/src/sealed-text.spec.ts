import { randomBytes } from 'node:crypto';
import * as fc from 'fast-check';
import { DecryptionFailed, sealText, unsealText } from './sealed-text';

const key = randomBytes(32);

describe('Sealed text', () => {
  it('opens with its key', () => {
    const anyKey = fc.uint8Array({ minLength: 32, maxLength: 32 });
    const anyText = fc.string({ unit: 'grapheme' });
    fc.assert(
      fc.property(anyKey, anyText, anyText, (own, bound, text) => {
        expect(unsealText(own, bound, sealText(own, bound, text))).toBe(text);
      }),
    );
  });

  it('opens in every later release: this format is in the event log', () => {
    const fixed = Buffer.alloc(32, 7);
    const sealed = 'v1.AQEBAQEBAQEBAQEBP4XoY4x-rlWGPUrvKOBYuPrNVw';
    expect(unsealText(fixed, 'holder', sealed)).toBe('Ida');
  });

  it('differs each time', () => {
    const sealed = Array.from({ length: 100 }, () => sealText(key, 'holder', 'Ida'));
    expect(new Set(sealed).size).toBe(100);
  });

  it('does not contain the plain text', () => {
    const sealed = sealText(key, 'holder', 'Ida Example');
    expect(Buffer.from(sealed.slice(3), 'base64url').includes('Ida')).toBe(false);
  });

  it('does not open with another key or under another name', () => {
    const sealed = sealText(key, 'holder', 'Ida');
    expect(() => unsealText(randomBytes(32), 'holder', sealed)).toThrow(DecryptionFailed);
    expect(() => unsealText(key, 'another', sealed)).toThrow(DecryptionFailed);
  });

  it('does not open after a single bit was changed', () => {
    const bytes = Buffer.from(sealText(key, 'holder', 'Ida').slice(3), 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3]! ^= 1 << (bit & 7);
      expect(() => unsealText(key, 'holder', `v1.${changed.toString('base64url')}`)).toThrow(DecryptionFailed);
    }
  });

  it.each(['', 'v1.', 'v1.AAAA', 'Ida', sealText(key, 'holder', 'Ida').replace('v1.', 'v2.')])(
    'rejects %p with a clear message',
    (text) => {
      expect(() => unsealText(key, 'holder', text)).toThrow('is not sealed in a known format');
    },
  );

  it('needs a key of 32 bytes', () => {
    expect(() => sealText(randomBytes(16), 'holder', 'Ida')).toThrow('Invalid key length');
  });
});
