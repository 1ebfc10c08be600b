import { deterministicId, sha256 } from '@florin/kernel';
import fc from 'fast-check';
import { compactJson, expandJson } from './compact-json';
import { phrases } from './phrases';

const id = deterministicId('object');
const roundTrip = (json: string): string => expandJson(compactJson(json, id), id);

describe('a compact JSON text', () => {
  it('expands to the same text', () => {
    const special = fc.constantFrom(
      ...[id, deterministicId('other'), deterministicId('upper').toUpperCase(), '2030-01-31T12:00:00.000Z'],
      ...['2030-02-31T12:00:00.000Z', '1969-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z', '2030-01-31T12:00:00Z'],
      ...['\0', '\u001f', '\u007f', '"', '\\', '\ud800', 'ÿ', '\u{10ffff}', '👩\u200d🚀', ...phrases],
    );
    const text = fc.array(fc.oneof(special, fc.string({ unit: 'binary' })), { maxLength: 6 });
    const value = fc.oneof(
      fc.jsonValue(),
      text.map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(fc.dictionary(fc.string(), value), (object) => {
        const json = JSON.stringify(object);
        expect(roundTrip(json)).toBe(json);
      }),
      { numRuns: 1_000 },
    );
  });

  it('is a fraction of the text of an operation', () => {
    const operation = {
      ...{ id, environment: 'sandbox', type: 'issue', status: 'completed', amount: '100.00', fee: '3.20' },
      ...{ total: '103.20', currency: 'USD', productId: 'virtual-usd', holderId: deterministicId('holder') },
      ...{ name: 'Travel', result: { cardId: deterministicId('card'), receipt: 'R-4711' } },
      ...{ createdAt: '2030-01-31T12:00:00.000Z', updatedAt: '2030-01-31T12:00:01.000Z' },
    };
    const json = JSON.stringify(operation);
    expect(compactJson(json, id).length * 3).toBeLessThan(json.length);
  });

  it('keeps the meaning of all codes, so that later releases can read it', () => {
    // After a phrase is appended, increase the number and record the new hash.
    expect(phrases).toHaveLength(57);
    expect(sha256(phrases.join('\n'))).toMatchInlineSnapshot(
      `"6263d76e12b45cb17deef316bcddd4c9b077d0aa6edafaad1de31e1139bdf4cc"`,
    );
  });

  it('has the same format in later releases', () => {
    const json = JSON.stringify({
      id,
      other: deterministicId('other'),
      createdAt: '2030-01-31T12:00:00.000Z',
      fee: '1.00',
    });
    expect(compactJson(json, id).toString('hex')).toMatchInlineSnapshot(
      `"00fb222c226f74686572223a22fc7fd9cabcc26f56a7acf3bd6f4586c27802fe01b977d7aa0017310f01"`,
    );
  });
});
