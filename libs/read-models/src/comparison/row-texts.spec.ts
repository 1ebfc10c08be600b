import { createPool } from '@florin/database';
import { createTestDatabase, type TestDatabase } from '@florin/database/testing';
import fc from 'fast-check';
import type { Pool, PoolClient } from 'pg';
import { sealed } from './read-model-folds';
import { jsonbText, RowTexts } from './row-texts';
import { cellOf, isSameCell, type TableColumn, tableColumns } from './table-cells';

interface Row {
  readonly name?: string;
  readonly recipient?: string;
  readonly metadata?: object;
  readonly result?: object;
  readonly amount: bigint;
  readonly createdAt: string;
  readonly updatedAt?: string;
}

/** Short texts of few characters, so that rows are often similar. */
const text = fc.string({
  unit: fc.constantFrom('a', '1', '\x1e', '\x1f', ' ', '"', '\\', 'é', '😀', '\n'),
  maxLength: 3,
});
const optional = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: undefined });
const time = fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true });
const timeText = time.map((date) => date.toISOString());
const json = fc.dictionary(text, fc.oneof(text, fc.integer(), fc.double({ noNaN: true }), fc.jsonValue()), {
  maxKeys: 3,
});
const rows: fc.Arbitrary<Row> = fc.record({
  name: optional(text),
  recipient: optional(text),
  metadata: optional(json),
  result: optional(json),
  amount: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  createdAt: timeText,
  updatedAt: optional(timeText),
});

describe('The text of a row', () => {
  let database: TestDatabase;
  let pool: Pool;
  let tx: PoolClient;
  let columns: readonly TableColumn[];

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = createPool(database.connection, { max: 1 });
    tx = await pool.connect();
    const all = (await tableColumns(tx)).get('operations')!;
    const names = ['name', 'recipient', 'metadata', 'result', 'amount', 'created_at', 'updated_at'];
    columns = all.filter(({ name }) => names.includes(name));
  });
  afterAll(async () => {
    tx.release();
    await pool.end();
    await database.drop();
  });

  async function inPostgres(row: Row): Promise<{ readonly text: string; readonly cells: readonly (string | null)[] }> {
    const values = columns.map((column) => (column.kind === 'time' ? timeIn(row, column) : cellOf(row, column)));
    const cells = columns.map(({ expression }) => expression).join(', ');
    const given = columns.map(({ name, type }, index) => `$${index + 1}::${type} AS ${name}`);
    const result = await tx.query<string[]>({
      text: `SELECT ${new RowTexts(columns).expression}, ${cells} FROM (SELECT ${given.join(', ')}) AS row`,
      values,
      rowMode: 'array',
    });
    const [found, ...others] = result.rows[0]!;
    return { text: found!, cells: others };
  }

  it('is the same in Postgres, unless only cells can be compared', async () => {
    const texts = new RowTexts(columns);
    await fc.assert(
      fc.asyncProperty(rows, async (row) => {
        const own = texts.textOf(row);
        const { text: found } = await inPostgres(row);
        expect(own === undefined || own === found).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it('is different if a cell is different', async () => {
    const texts = new RowTexts(columns);
    const similar = fc.tuple(rows, rows, fc.subarray(['name', 'recipient', 'metadata', 'result'] as const));
    await fc.assert(
      fc.asyncProperty(similar, async ([row, other, changed]) => {
        const changes = Object.fromEntries(changed.map((name) => [name, other[name]]));
        const { text: found, cells } = await inPostgres({ ...row, ...changes });
        const isSame = columns.every((column, at) => isSameCell(column.kind, ownCell(row, column), cells[at]!));
        const own = texts.textOf(row);
        if (own !== undefined) expect(own === found).toBe(isSame);
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    [{ name: 'A\x1fB' }, 'a separator'],
    [{ name: '\x1e' }, 'the text of an empty cell'],
    [{ name: sealed }, 'a sealed cell'],
    [{ metadata: { rate: 0.1 } }, 'a number that has several forms'],
  ] as const)('is undefined for %p, which has %s', (row: object, _: string) => {
    expect(new RowTexts(columns).textOf({ amount: 1n, createdAt: '2030-01-01T00:00:00.000Z', ...row })).toBeUndefined();
  });

  it('has JSON as Postgres writes it', async () => {
    const value = { bb: [1, null, 'x"', { é: '\n\x01' }], a: true, cc: {}, none: undefined };
    const { rows: found } = await tx.query<{ text: string }>('SELECT $1::jsonb::text AS text', [JSON.stringify(value)]);
    expect(jsonbText(value)).toBe(found[0]!.text);
  });
});

function timeIn(row: Row, { property }: TableColumn): string | undefined {
  return row[property as 'createdAt' | 'updatedAt'];
}

function ownCell(row: Row, column: TableColumn): string | null {
  return cellOf(row, column) as string | null;
}
