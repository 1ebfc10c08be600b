type Read<Row> = (row: Row) => string | null | undefined;

interface RightAligned<Row> {
  readonly right: Read<Row>;
}

export type Columns<Row> = Readonly<Record<string, Read<Row> | RightAligned<Row>>>;

/** A column of amounts. They are aligned at the right, so that equal digits are below each other. */
export function money<Row>(read: Read<Row>): RightAligned<Row> {
  return { right: read };
}

/** Rows under headings, with columns as wide as their longest cell. */
export function table<Row>(rows: readonly Row[], columns: Columns<Row>): string {
  const readers = Object.values(columns).map((column) => (typeof column === 'function' ? column : column.right));
  const isRight = Object.values(columns).map((column) => typeof column !== 'function');
  const lines = [Object.keys(columns), ...rows.map((row) => readers.map((read) => printable(read(row))))];
  // A spread would exceed the stack with some 100,000 rows.
  const widths = readers.map((_, column) => lines.reduce((width, line) => Math.max(width, line[column]!.length), 0));
  return lines
    .map((line) =>
      line
        .map((cell, column) => (isRight[column] ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Every field of an object that the API returned, one per line. The names of nested fields have dots. */
export function details(object: object): string {
  const fields = fieldsOf(object, '');
  const width = Math.max(0, ...fields.map(([name]) => name.length));
  return fields.map(([name, value]) => `${name.padEnd(width)}  ${printable(value)}`).join('\n');
}

function fieldsOf(object: object, prefix: string): (readonly [string, string])[] {
  return Object.entries(object).flatMap(([name, value]: [string, unknown]) => {
    const path = `${prefix}${printable(name)}`;
    if (typeof value !== 'object' || value === null) return [[path, value === null ? '' : String(value)]];
    return Array.isArray(value) ? [[path, JSON.stringify(value)]] : fieldsOf(value, `${path}.`);
  });
}

/** Text entered by clients must not control the operator's terminal. */
export function printable(text: string | null | undefined): string {
  return text?.replace(/\p{Cc}/gu, '\uFFFD') || '-';
}
