import type { PoolClient } from 'pg';
import { storableJson } from '../storable-text';

/** Writes any number of rows with one statement. Uses JSON because `unnest` does not support array columns. */
export function upsertRows<Row extends object>(
  table: string,
  key: keyof Row & string,
  columns: readonly (keyof Row & string)[],
) {
  const text = `
    INSERT INTO ${table} (${columns.join(', ')})
    SELECT ${columns.join(', ')} FROM json_populate_recordset(null::${table}, $1)
    ON CONFLICT (${key}) DO UPDATE SET ${columns.map((column) => `${column} = excluded.${column}`).join(', ')}`;
  return async (rows: Iterable<Row>, tx: PoolClient): Promise<void> => {
    const values = [storableJson([...rows])];
    await tx.query({ name: `upsert-${table}`, text, values });
  };
}
