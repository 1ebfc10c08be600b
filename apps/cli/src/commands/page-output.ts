import type { CommandInput, CommandOption } from '../command';
import { type Columns, table } from '../table';

export interface ResultPage<Row> {
  readonly data: readonly Row[];
  readonly nextCursor?: string;
}

/** The options of every command that shows a list in pages. */
export const pageOptions = {
  limit: { value: 'number', description: 'how many at once, 1 to 100 (default: 50)' },
  cursor: { value: 'cursor', description: 'where to go on, as the page before has told' },
} as const satisfies Readonly<Record<string, CommandOption>>;

/** The path with whatever of these options was given. */
export function pathWith(input: CommandInput, path: string, options: readonly string[]): string {
  const query = new URLSearchParams();
  for (const name of options) if (input.has(name)) query.set(name, input.text(name));
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}

export function pageText<Row>({ data, nextCursor }: ResultPage<Row>, columns: Columns<Row>, empty: string): string {
  if (data.length === 0) return empty;
  const more = nextCursor === undefined ? '' : `\n\nThere are more: go on with --cursor ${nextCursor}`;
  return `${table(data, columns)}${more}`;
}
