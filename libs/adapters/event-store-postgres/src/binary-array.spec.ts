import { createTestDatabase, type TestDatabase } from '@florin/database/testing';
import { Client } from 'pg';
import { BinaryArray, integerType, textType, uuidType } from './binary-array';

describe('BinaryArray', () => {
  let database: TestDatabase;
  let client: Client;

  beforeAll(async () => {
    database = await createTestDatabase();
    client = new Client({ ...database.connection });
    await client.connect();
  });
  afterAll(async () => {
    await client.end();
    await database.drop();
  });

  async function readBack(type: string, array: BinaryArray): Promise<unknown> {
    const { rows } = await client.query<{ elements: unknown }>(`SELECT to_json($1::${type}[]) AS elements`, [
      array.encoded(),
    ]);
    return rows[0]?.elements;
  }

  it('encodes texts of any length and script', async () => {
    const texts = ['', 'plain', '"quoted", {braced} \\ NULL', 'Žofie 👩‍👩‍👧 日本 \u2028', 'é👩'.repeat(200_000), '\n\t'];
    const array = new BinaryArray(textType);
    for (const text of texts) array.addText(text);
    expect(await readBack('text', array)).toEqual(texts);
  });

  it('encodes integers', async () => {
    const array = new BinaryArray(integerType);
    for (const value of [0, -1, 1, 2_147_483_647, -2_147_483_648]) array.addInteger(value);
    expect(await readBack('integer', array)).toEqual([0, -1, 1, 2_147_483_647, -2_147_483_648]);
  });

  it('encodes UUIDs', async () => {
    const uuids = ['01234567-89ab-cdef-0123-456789abcdef', 'ffffffff-ffff-ffff-ffff-ffffffffffff'];
    const array = new BinaryArray(uuidType);
    for (const uuid of uuids) array.addUuid(uuid);
    expect(await readBack('uuid', array)).toEqual(uuids);
  });

  it('can be empty and can be reused', async () => {
    const array = new BinaryArray(textType);
    expect(await readBack('text', array)).toEqual([]);
    array.addText('x'.repeat(3_000_000));
    array.clear();
    expect(await readBack('text', array)).toEqual([]);
    array.addText('again');
    expect(await readBack('text', array)).toEqual(['again']);
  });
});
