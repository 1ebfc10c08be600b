import * as fc from 'fast-check';
import { deserialize, serialize } from 'node:v8';
import { IdSet, uuidAt, UuidRecords, writeUuid } from './uuid-records';

describe('Records by UUID', () => {
  it('keep what was written, in the order of the ids, also after they were stored', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.uuid(), fc.nat()), { maxLength: 3_000, size: 'max' }), (writes) => {
        const expected = new Map<string, number>();
        let records = new UuidRecords(4);
        for (const [index, [id, value]] of writes.entries()) {
          if (index === 1_500) records = UuidRecords.from(deserialize(serialize(records)) as UuidRecords);
          const offset = records.add(id)!;
          expect(records.bytes.readUInt32LE(offset)).toBe(expected.get(id) ?? 0);
          records.bytes.writeUInt32LE(value, offset);
          expected.set(id, value);
        }
        const found = [...records.entries()].map(([id, offset]) => [id, records.bytes.readUInt32LE(offset)]);
        expect(found).toEqual([...expected]);
        for (const [id, value] of expected) expect(records.bytes.readUInt32LE(records.find(id)!)).toBe(value);
        expect(records.find('00000000-0000-0000-0000-000000000000')).toBeUndefined();
      }),
      { numRuns: 5 },
    );
  });

  it.each(['', 'acme', '5A0E0000-0000-4000-8000-000000000000', '5a0e00000000-4000-8000-000000000000-000', `5a0é`])(
    'are for UUIDs in lower case only, not for "%s"',
    (id) => {
      const records = new UuidRecords(0);
      expect([records.add(id), records.find(id), records.size]).toEqual([undefined, undefined, 0]);
    },
  );

  it('have ids that can be written as bytes', () => {
    const bytes = Buffer.alloc(20);
    const id = '5a0e0000-0000-4000-8000-00000000ffff';
    expect(writeUuid(bytes, 4, id)).toBe(true);
    expect(uuidAt(bytes, 4)).toBe(id);
    expect(writeUuid(bytes, 4, 'acme')).toBe(false);
  });
});

describe('A set of ids', () => {
  it('has UUIDs and others', () => {
    const ids = new IdSet();
    for (const id of ['acme', 'acme', '5a0e0000-0000-4000-8000-000000000000']) ids.add(id);
    expect(ids.size).toBe(2);
    expect([ids.has('acme'), ids.has('ida'), ids.has('5a0e0000-0000-4000-8000-000000000000')]).toEqual([
      true,
      false,
      true,
    ]);
  });
});
