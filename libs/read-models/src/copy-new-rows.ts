import { copyRows } from '@florin/database';
import { DatabaseError, type PoolClient } from 'pg';

/** The name and the type of each column. */
export type Columns = readonly (readonly [name: string, type: string])[];

const uniqueViolation = '23505';
const escaped: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };
const separators = /[\\\t\n\r]/g;

/** A cell as text, or undefined for NULL. */
type Cell = string | undefined;

/** Adds rows that never change, as text by column. Rows that exist already, because a checkpoint was reset, stay unchanged. */
export function copyNewRows(table: string, columns: Columns) {
  const names = columns.map(([name]) => name);
  const insertMissing = {
    name: `insert-missing-${table.slice(table.indexOf('.') + 1)}`,
    text: `
      INSERT INTO ${table} (${names.join(', ')})
      SELECT * FROM unnest(${columns.map(([, type], index) => `$${index + 1}::${type}[]`).join(', ')})
      ON CONFLICT DO NOTHING`,
  };
  const copy = copyUnlessRepeated(table, names);
  return async (rows: readonly (readonly string[])[], tx: PoolClient): Promise<void> => {
    if (await copy(rows, tx)) return;
    const values = columns.map((_, column) => rows.map((row) => row[column]));
    await tx.query({ ...insertMissing, values });
  };
}

/**
 * Uses COPY because it takes half the time of INSERT, and Postgres writes the rows of a page to its log together. COPY cannot
 * skip existing rows: if there is one, it adds none and returns false.
 */
export function copyUnlessRepeated(table: string, columns: readonly string[]) {
  const copy = `SAVEPOINT before_copy; COPY ${table} (${columns.join(', ')}) FROM STDIN`;
  return async (rows: readonly (readonly Cell[])[], tx: PoolClient): Promise<boolean> => {
    try {
      await copyRows(tx, copy, Buffer.from(rows.map(lineOf).join('')));
      return true;
    } catch (error) {
      if (!isRepeat(error)) throw error;
      await tx.query('ROLLBACK TO before_copy');
      return false;
    }
  };
}

function isRepeat(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === uniqueViolation;
}

/** A row in the text format of COPY. */
function lineOf(row: readonly Cell[]): string {
  return `${row.map(textOf).join('\t')}\n`;
}

function textOf(cell: Cell): string {
  return cell === undefined ? '\\N' : cell.replace(separators, (separator) => escaped[separator]!);
}
