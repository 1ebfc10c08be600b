import type { PoolClient } from 'pg';
import { copyUnlessRepeated } from './copy-new-rows';
import { storableJson, storableText } from './storable-text';

/** The changes of one batch to one row. */
export interface FoldedRow {
  readonly id: string;
  /** The revision of the last applied event. */
  revision: number;
  /** The batch has the row's first event, so all columns are known. Otherwise absent columns stay unchanged. */
  readonly isWhole: boolean;
  /** Whole, and no earlier batch has written the row, unless its events are repeated. */
  isNew?: boolean;
}

/** The types of columns, with the values that a row has for them. */
interface ColumnValues {
  readonly uuid: string;
  readonly text: string;
  readonly bigint: bigint | number;
  readonly numeric: bigint;
  readonly integer: number;
  readonly boolean: boolean;
  readonly timestamptz: string;
  readonly jsonb: object;
}

type ColumnType = keyof ColumnValues;

/** How later events change a column: never, by replacing it, or by adding members to a JSON object. */
type Change = 'settled' | 'replaced' | 'extended';

/** The columns of a table except `revision`, by their names in camel case, which are also the names in most events. */
export type FoldedColumns = Readonly<Record<string, readonly [ColumnType, Change]>>;

/** A row of a table with these columns. */
export type FoldedRowOf<Columns extends FoldedColumns> = FoldedRow & {
  -readonly [Name in Exclude<keyof Columns, keyof FoldedRow>]?: ColumnValues[Columns[Name][0]];
};

interface Column {
  /** In the table. */
  readonly name: string;
  /** In a row. */
  readonly property: string;
  readonly type: ColumnType;
  readonly change: Change;
}

/**
 * The row that an event at this revision changes, or undefined if the row already contains the event. `first` is the row that
 * the event creates, if it does.
 */
export function rowToChange<Row extends FoldedRow>(
  rows: Map<string, Row>,
  id: string,
  revision: number,
  first: Row | undefined,
): Row | undefined {
  const known = rows.get(id);
  if (known !== undefined && known.revision >= revision) return undefined;
  const row = first ?? known ?? ({ id, isWhole: false, revision } as Row);
  rows.set(id, row);
  row.revision = revision;
  return row;
}

/**
 * Writes folded rows: new rows are copied, other whole rows are inserted or replaced by one statement, and changes to existing
 * rows, which are not read first, are made by another one. The revision of a row makes events that it already contains change
 * nothing.
 */
export function writerOfFoldedRows(table: string, definition: FoldedColumns) {
  const columns: FoldedColumns = { ...definition, revision: ['integer', 'replaced'] };
  const all = Object.entries(columns).map(([property, [type, change]]): Column => {
    return { name: snakeCase(property), property, type, change };
  });
  const changing = all.filter(({ name, change }) => name === 'id' || change !== 'settled');
  const insert = { name: `insert-${table}`, text: insertText(table, all) };
  const update = { name: `update-${table}`, text: updateText(table, changing) };
  const copy = copyUnlessRepeated(
    table,
    all.map(({ name }) => name),
  );
  return async (rows: Iterable<FoldedRow>, tx: PoolClient): Promise<void> => {
    const added: FoldedRow[] = [];
    const whole: FoldedRow[] = [];
    const changes: FoldedRow[] = [];
    for (const row of rows) (row.isNew ? added : row.isWhole ? whole : changes).push(row);
    if (added.length > 0 && !(await copy(cellsOf(all, added), tx))) whole.push(...added);
    if (whole.length > 0) await tx.query({ ...insert, values: valuesOf(all, whole) });
    if (changes.length === 0) return;
    const { rowCount } = await tx.query({ ...update, values: valuesOf(changing, changes) });
    if (rowCount !== changes.length) await refuseIfUnknown(table, changes, tx);
  };
}

function snakeCase(property: string): string {
  return property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function insertText(table: string, columns: readonly Column[]): string {
  const names = columns.map(({ name }) => name);
  const others = names.filter((name) => name !== 'id');
  return `
    INSERT INTO ${table} (${names.join(', ')})
    SELECT * FROM ${parametersOf(columns)}
    ON CONFLICT (id) DO UPDATE SET ${others.map((name) => `${name} = excluded.${name}`).join(', ')}
    WHERE ${table}.revision < excluded.revision`;
}

function updateText(table: string, columns: readonly Column[]): string {
  const assignments = columns.flatMap(({ name, change }) => {
    if (change === 'settled') return [];
    const value = change === 'extended' ? `coalesce(known.${name}, '{}') || changes.${name}` : `changes.${name}`;
    return [`${name} = coalesce(${value}, known.${name})`];
  });
  return `
    UPDATE ${table} AS known SET ${assignments.join(', ')}
    FROM ${parametersOf(columns)} AS changes (${columns.map(({ name }) => name).join(', ')})
    WHERE known.id = changes.id AND known.revision < changes.revision`;
}

function parametersOf(columns: readonly Column[]): string {
  return `unnest(${columns.map(({ type }, index) => `$${index + 1}::${type}[]`).join(', ')})`;
}

type Cells = Readonly<Record<string, unknown>>;

/** Encodes each column as one array literal, which is faster than passing tens of thousands of values to `pg`. */
function valuesOf(columns: readonly Column[], rows: readonly object[]): string[] {
  return columns.map(({ property, type }) => {
    const cells = (rows as readonly Cells[]).map((row) => {
      const cell = row[property];
      return cell === undefined ? 'NULL' : elementOf(type, cell);
    });
    return `{${cells.join(',')}}`;
  });
}

function cellsOf(columns: readonly Column[], rows: readonly object[]): (string | undefined)[][] {
  return (rows as readonly Cells[]).map((row) =>
    columns.map(({ property, type }) => {
      const cell = row[property];
      return cell === undefined ? undefined : textOf(type, cell);
    }),
  );
}

/** Only text types need quoting. */
function elementOf(type: ColumnType, cell: unknown): string {
  const text = textOf(type, cell);
  return type === 'text' || type === 'jsonb' ? quoted(text) : text;
}

function textOf(type: ColumnType, cell: unknown): string {
  if (type === 'jsonb') return storableJson(cell);
  return type === 'text' ? storableText(String(cell)) : String(cell);
}

function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}

/** A row that already contains the events is fine. A missing row is an error. */
async function refuseIfUnknown(table: string, changes: readonly FoldedRow[], tx: PoolClient): Promise<void> {
  const ids = changes.map(({ id }) => id);
  const text = `SELECT id FROM unnest($1::uuid[]) AS changes (id) WHERE NOT EXISTS (SELECT FROM ${table} WHERE id = changes.id)`;
  const { rows } = await tx.query<{ id: string }>(text, [ids]);
  const [unknown] = rows;
  if (unknown === undefined) return;
  throw new Error(
    `Events change ${unknown.id} in ${table}, but no earlier event created it; ` +
      'rebuild this read model from the first event',
  );
}
