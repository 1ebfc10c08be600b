import { storableText } from '../storable-text';
import { sealed } from './read-model-folds';
import { cellOf, type TableColumn, valueOf } from './table-cells';

/** Between cells, and instead of an empty one. A row with a text that contains them has no text. */
const separator = '\x1f';
const empty = '\x1e';

/**
 * A row as one text, which Postgres and Florin write alike: equal texts have equal cells. So a row is one column to read and one
 * comparison.
 */
export class RowTexts {
  /** An expression for the text of `row`. The number of empty cells distinguishes them from the text that represents them. */
  readonly expression: string;

  constructor(private readonly columns: readonly TableColumn[]) {
    const names = columns.map(({ name }) => `row.${name}`).join(', ');
    const cells = columns.map(({ expression }) => expression).join(', ');
    this.expression = `concat(num_nulls(${names}), E'\\x1f', array_to_string(ARRAY[${cells}], E'\\x1f', E'\\x1e'))`;
  }

  /** The text that the row must have in the table; undefined if its cells have to be compared. */
  textOf(row: object): string | undefined {
    let emptyCells = 0;
    let text = '';
    for (const column of this.columns) {
      const cell = textOfCell(row, column);
      if (cell === undefined) return undefined;
      if (cell === null) emptyCells += 1;
      text += separator + (cell ?? empty);
    }
    return `${emptyCells}${text}`;
  }
}

function textOfCell(row: object, column: TableColumn): string | null | undefined {
  if (column.kind === 'json') return textOfJson(row, column);
  const cell = cellOf(row, column);
  if (cell === sealed) return undefined;
  if (column.kind !== 'text' || cell === null) return cell;
  return cell.includes(separator) || cell.includes(empty) ? undefined : cell;
}

function textOfJson(row: object, column: TableColumn): string | null | undefined {
  const value = valueOf(row, column);
  if (value === undefined || value === null) return null;
  return value === sealed || column.type !== 'jsonb' ? undefined : jsonbText(value);
}

/** JSON as Postgres writes a `jsonb`; undefined for numbers that it may write in another form. */
export function jsonbText(value: unknown): string | undefined {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(storableText(value));
    case 'number':
      return Number.isSafeInteger(value) ? String(value) : undefined;
    case 'boolean':
      return String(value);
    case 'object':
      if (value === null) return 'null';
      return Array.isArray(value) ? arrayText(value) : objectText(value as Readonly<Record<string, unknown>>);
    default:
      return undefined;
  }
}

function arrayText(items: readonly unknown[]): string | undefined {
  const texts = items.map((item) => jsonbText(item ?? null));
  return texts.includes(undefined) ? undefined : `[${texts.join(', ')}]`;
}

function objectText(object: Readonly<Record<string, unknown>>): string | undefined {
  const names = Object.keys(object).filter((name) => object[name] !== undefined);
  const members: string[] = [];
  for (const name of names.length > 1 ? names.sort(inOrderOfPostgres) : names) {
    const text = jsonbText(object[name]);
    if (text === undefined) return undefined;
    members.push(`${JSON.stringify(name)}: ${text}`);
  }
  return `{${members.join(', ')}}`;
}

/** Shorter names come first. */
function inOrderOfPostgres(one: string, other: string): number {
  const [bytes, others] = [Buffer.from(one), Buffer.from(other)];
  return bytes.length - others.length || Buffer.compare(bytes, others);
}
