import { escapeIdentifier, type Pool } from 'pg';

export interface Table {
  readonly schema: string;
  readonly name: string;
}

export interface Comparison {
  /** Columns that do not follow from events, by `schema.table`. */
  readonly leftOut?: Readonly<Record<string, readonly string[]>>;
}

const mostDifferences = 5;

/** All tables of these schemas, so that a new one is compared without anybody thinking of it. */
export async function tablesOf(pool: Pool, schemas: readonly string[]): Promise<readonly Table[]> {
  const text = `
    SELECT table_schema AS schema, table_name AS name FROM information_schema.tables
    WHERE table_schema = ANY ($1) AND table_type = 'BASE TABLE' ORDER BY 1, 2`;
  return (await pool.query<Table>(text, [schemas])).rows;
}

/** Every row as one text, with its columns in the order of their names. */
async function rowsOf(pool: Pool, { schema, name }: Table, leftOut: readonly string[]): Promise<string[]> {
  const table = `${escapeIdentifier(schema)}.${escapeIdentifier(name)}`;
  const text = `SELECT (to_jsonb(t) - $1::text[])::text AS line FROM ${table} AS t ORDER BY 1`;
  return (await pool.query<{ line: string }>(text, [leftOut])).rows.map(({ line }) => line);
}

/** What differs, a few rows of each table; and how many rows there were. */
export async function compareTables(
  [one, other]: readonly [Pool, Pool],
  tables: readonly Table[],
  { leftOut = {} }: Comparison = {},
): Promise<{ readonly rows: number; readonly differences: readonly string[] }> {
  let rows = 0;
  const differences: string[] = [];
  for (const table of tables) {
    const name = `${table.schema}.${table.name}`;
    const columns = leftOut[name] ?? [];
    const [left, right] = [await rowsOf(one, table, columns), await rowsOf(other, table, columns)];
    rows += left.length;
    const [missing, extra] = [without(left, right), without(right, left)];
    if (missing.length + extra.length === 0) continue;
    differences.push(
      `${name}: ${missing.length} rows are not in the rebuilt one, which has ${extra.length} others`,
      ...missing.slice(0, mostDifferences).map((line) => `${name}: only the product has ${line}`),
      ...extra.slice(0, mostDifferences).map((line) => `${name}: only the rebuilt one has ${line}`),
    );
  }
  return { rows, differences };
}

/** The same line may stand there several times. */
function without(lines: readonly string[], others: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const line of others) left.set(line, (left.get(line) ?? 0) + 1);
  return lines.filter((line) => {
    const count = left.get(line) ?? 0;
    left.set(line, count - 1);
    return count <= 0;
  });
}
