export type Columns<Row> = Readonly<Record<string, (row: Row) => string | null | undefined>>;

/** Rows under headings, with columns as wide as their longest cell. */
export function table<Row>(rows: readonly Row[], columns: Columns<Row>): string {
  const lines = [
    Object.keys(columns),
    ...rows.map((row) => Object.values(columns).map((read) => printable(read(row)))),
  ];
  // A spread would exceed the stack with some 100,000 rows.
  const widths = Object.keys(columns).map((_, column) =>
    lines.reduce((width, line) => Math.max(width, line[column]!.length), 0),
  );
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Text entered by clients must not control the operator's terminal. */
export function printable(text: string | null | undefined): string {
  return text?.replace(/\p{Cc}/gu, '\uFFFD') || '-';
}
