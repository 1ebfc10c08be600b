import type { PoolClient } from 'pg';
import { storableJson, storableText } from '../storable-text';
import { sealed } from './read-model-folds';

type Kind = 'time' | 'json' | 'text' | 'value';

export interface TableColumn {
  readonly name: string;
  /** The name of the same column in rows with names in camel case. */
  readonly property: string;
  /** In Postgres. */
  readonly type: string;
  readonly kind: Kind;
  /** An expression for the cell as text, in the form of `cellOf`. */
  readonly expression: string;
}

interface CatalogColumn {
  readonly table: string;
  readonly name: string;
  readonly type: string;
  readonly isArray: boolean;
}

/** Without columns that the database itself derives from others. */
const catalog = `
  SELECT c.relname AS "table", a.attname AS name, t.typname AS type, t.typcategory = 'A' AS "isArray"
  FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid JOIN pg_type AS t ON t.oid = a.atttypid
  WHERE c.relnamespace = 'read_models'::regnamespace AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped
    AND a.attgenerated = ''
  ORDER BY c.relname, a.attnum`;

/** The columns of all read models, by table. */
export async function tableColumns(tx: PoolClient): Promise<ReadonlyMap<string, readonly TableColumn[]>> {
  const { rows } = await tx.query<CatalogColumn>(catalog);
  const byTable = new Map<string, TableColumn[]>();
  for (const column of rows) {
    const columns = byTable.get(column.table) ?? [];
    byTable.set(column.table, columns);
    columns.push(columnOf(column));
  }
  return byTable;
}

function columnOf({ name, type, isArray }: CatalogColumn): TableColumn {
  const property = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const column = { name, property, type };
  const cell = `row.${name}`;
  if (isArray) return { ...column, kind: 'json', expression: `to_json(${cell})::text` };
  if (type === 'jsonb') return { ...column, kind: 'json', expression: `${cell}::text` };
  if (type === 'timestamptz') {
    const milliseconds = `floor(extract(epoch FROM ${cell}) * 1000)::bigint::text`;
    const expression = `CASE WHEN isfinite(${cell}) THEN ${milliseconds} ELSE ${cell}::text END`;
    return { ...column, kind: 'time', expression };
  }
  return { ...column, kind: type === 'text' ? 'text' : 'value', expression: `${cell}::text` };
}

/** In a row with names in snake case or camel case. */
export function valueOf(row: object, { name, property }: TableColumn): unknown {
  const cells = row as Readonly<Record<string, unknown>>;
  const value = cells[property];
  return value === undefined && property !== name ? cells[name] : value;
}

/** The cell that the table must have, as text. */
export function cellOf(row: object, column: TableColumn): string | null | typeof sealed {
  const value = valueOf(row, column);
  if (value === undefined || value === null) return null;
  if (value === sealed) return sealed;
  switch (column.kind) {
    case 'time':
      return String(Date.parse(value as string));
    case 'json':
      return storableJson(value);
    case 'text':
      return storableText(value as string);
    default:
      return String(value);
  }
}

export function isSameCell(kind: Kind, expected: string | null, found: string | null): boolean {
  if (expected === found) return true;
  if (kind !== 'json' || expected === null || found === null) return false;
  return sortedJson(expected) === sortedJson(found);
}

/** Postgres sorts the members of objects in its own order. */
function sortedJson(text: string): string {
  return JSON.stringify(JSON.parse(text), (_key, value: unknown) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
  });
}

const maxShown = 200;

export function shownCell(kind: Kind, cell: string | null): string {
  if (cell === null) return 'empty';
  const text = kind === 'time' && /^-?\d+$/.test(cell) ? new Date(Number(cell)).toISOString() : cell;
  return text.length > maxShown ? `${text.slice(0, maxShown)}…` : text;
}
