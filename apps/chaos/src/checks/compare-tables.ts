import { escapeIdentifier, type Pool } from 'pg';

export interface Table {
  readonly schema: string;
  readonly name: string;
}

export interface Comparison {
  /** Columns that are not derived from events, by `schema.table`. */
  readonly ignored?: Readonly<Record<string, readonly string[]>>;
}

const maxDifferences = 5;

/** All tables of these schemas, so that a new table is compared automatically. */
export async function tablesOf(pool: Pool, schemas: readonly string[]): Promise<readonly Table[]> {
  const text = `
    SELECT table_schema AS schema, table_name AS name FROM information_schema.tables
    WHERE table_schema = ANY ($1) AND table_type = 'BASE TABLE' ORDER BY 1, 2`;
  return (await pool.query<Table>(text, [schemas])).rows;
}

/** Every row as JSON text, with its columns sorted by name. */
async function rowsOf(pool: Pool, { schema, name }: Table, ignored: readonly string[]): Promise<string[]> {
  const table = `${escapeIdentifier(schema)}.${escapeIdentifier(name)}`;
  const text = `SELECT (to_jsonb(t) - $1::text[])::text AS line FROM ${table} AS t ORDER BY 1`;
  return (await pool.query<{ line: string }>(text, [ignored])).rows.map(({ line }) => line);
}

/** The number of rows, and a few differing rows of each table. */
export async function compareTables(
  [one, other]: readonly [Pool, Pool],
  tables: readonly Table[],
  { ignored = {} }: Comparison = {},
): Promise<{ readonly rows: number; readonly differences: readonly string[] }> {
  let rows = 0;
  const differences: string[] = [];
  for (const table of tables) {
    const name = `${table.schema}.${table.name}`;
    const columns = ignored[name] ?? [];
    const [left, right] = [await rowsOf(one, table, columns), await rowsOf(other, table, columns)];
    rows += left.length;
    const [missing, extra] = [without(left, right), without(right, left)];
    if (missing.length + extra.length === 0) continue;
    differences.push(
      `${name}: ${missing.length} rows are not in the rebuilt one, which has ${extra.length} others`,
      ...missing.slice(0, maxDifferences).map((line) => `${name}: only the product has ${line}`),
      ...extra.slice(0, maxDifferences).map((line) => `${name}: only the rebuilt one has ${line}`),
    );
  }
  return { rows, differences };
}

/** Duplicates count: a line that occurs twice is matched by two lines only. */
function without(lines: readonly string[], others: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const line of others) left.set(line, (left.get(line) ?? 0) + 1);
  return lines.filter((line) => {
    const count = left.get(line) ?? 0;
    left.set(line, count - 1);
    return count <= 0;
  });
}
