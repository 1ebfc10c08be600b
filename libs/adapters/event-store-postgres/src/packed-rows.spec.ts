import { createTestDatabase, type TestDatabase } from '@florin/database/testing';
import { randomId } from '@florin/kernel';
import { Client } from 'pg';
import { PostgresEventStore } from './postgres-event-store.adapter';

let database: TestDatabase;
let client: Client;
let store: PostgresEventStore;

beforeAll(async () => {
  database = await createTestDatabase();
  client = new Client({ ...database.connection });
  await client.connect();
  store = new PostgresEventStore(database.connection);
});
afterAll(async () => {
  await Promise.all([client.end(), store.close()]);
  await database.drop();
});

const data = (number: number): string => `{"operationId":"${randomId()}","amount":"${number}.00"}`;
const metadata = '{"schemaVersion":1,"recordedAt":"2026-11-17T13:55:41.440Z"}';

/** As the previous release appends. */
async function appendAsTexts(stream: string, revision: number, text: string): Promise<void> {
  await client.query(`SELECT event_store.append($1, $2, $3::uuid[], '{Noted}', $4, $5, $6, $7, true)`, [
    ...[[stream], [revision], [randomId()], [text], [metadata]],
    ...(revision > 0 ? [[stream], [revision - 1]] : [[], []]),
  ]);
}

async function textsIn(stream: string): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const page of store.readStream(stream)) found.push(...page.map((event) => event.data + event.metadata));
  return found;
}

describe('Rows of an earlier release', () => {
  it('are read together with packed ones, in every way to read', async () => {
    const stream = `note-${randomId()}`;
    const texts = [1, 2, 3].map(data);
    await appendAsTexts(stream, 0, texts[0]!);
    await store.append(stream, 0, [{ id: randomId(), type: 'Noted', data: texts[1]!, metadata }]);
    await appendAsTexts(stream, 2, texts[2]!);
    const { rows } = await client.query(
      `SELECT data, metadata, packed IS NOT NULL AS packed FROM event_store.events WHERE stream = $1 ORDER BY revision`,
      [stream],
    );
    expect(rows).toEqual([
      { data: texts[0], metadata, packed: false },
      { data: null, metadata: null, packed: true },
      { data: texts[2], metadata, packed: false },
    ]);
    const expected = texts.map((text) => text + metadata);
    // Several reads at once share a statement.
    const [first, second] = await Promise.all([textsIn(stream), textsIn(stream), textsIn('note-none')]);
    expect([first, second, await textsIn(stream)]).toEqual([expected, expected, expected]);
    for (const categories of [undefined, ['note']]) {
      const { events } = await store.readAll({ after: 0n, categories });
      const ofStream = events.filter((event) => event.stream === stream);
      expect(ofStream.map((event) => event.data + event.metadata)).toEqual(expected);
    }
  });
});

describe('A row', () => {
  it('has either both texts or packed contents', async () => {
    const insert = (columns: string, values: string) =>
      client.query(`INSERT INTO event_store.events (position, stream, revision, id, type, ${columns})
        VALUES (999999, 'x-1', 0, gen_random_uuid(), 'Noted', ${values})`);
    for (const [columns, values] of [
      ['data, metadata, packed', `NULL, NULL, NULL`],
      ['data, metadata, packed', `'{}', '{}', '\\x00'`],
      ['data, metadata, packed', `'{}', NULL, NULL`],
      ['data, metadata, packed', `NULL, '{}', '\\x00'`],
    ] as const) {
      await expect(insert(columns, values)).rejects.toThrow('events_have_contents');
    }
  });

  it.each([
    ['damaged bytes', String.raw`'\x01ff'`],
    ['packed format 99', String.raw`'\x63'`],
  ])('with %s is read as texts that are not JSON, so that nothing is derived from it', async (problem, bytes) => {
    const stream = `note-${randomId()}`;
    const event = { type: 'Noted', data: data(1), metadata };
    await store.append(stream, -1, [
      { id: randomId(), ...event },
      { id: randomId(), ...event },
    ]);
    await client.query('ALTER TABLE event_store.events DISABLE TRIGGER ALL');
    await client.query(`UPDATE event_store.events SET packed = ${bytes} WHERE stream = $1 AND revision = 0`, [stream]);
    expect(await textsIn(stream)).toEqual([problem + problem, event.data + metadata]);
    expect(() => JSON.parse(problem) as unknown).toThrow(problem);
  });
});
