import type { Command } from 'commander';
import type { CliContext } from '../cli-context';
import { type Columns, table } from '../table';

/** The options of every command that lists results in pages. */
export function addPageOptions(command: Command): Command {
  return command
    .option('--limit <number>', 'results per page, 1 to 100 (default: 50)')
    .option('--cursor <cursor>', 'start of the page, as the previous page printed it');
}

interface ResultPage<Row> {
  readonly data: readonly Row[];
  readonly nextCursor?: string;
}

interface List<Row> {
  readonly path: string;
  readonly columns: Columns<Row>;
  /** Printed if there are no results. */
  readonly empty: string;
  readonly query?: Readonly<Record<string, string>>;
}

/** Reads one page of a list from the operator API and prints it. */
export async function printPage<Row>(context: CliContext, { path, columns, empty, query }: List<Row>): Promise<void> {
  const search = new URLSearchParams(query);
  const address = search.size === 0 ? path : `${path}?${search.toString()}`;
  const page = await context.operatorApi().get<ResultPage<Row>>(address);
  const more = page.nextCursor === undefined ? '' : `\n\nMore results: --cursor ${page.nextCursor}`;
  context.output(page, page.data.length === 0 ? empty : `${table(page.data, columns)}${more}`);
}
