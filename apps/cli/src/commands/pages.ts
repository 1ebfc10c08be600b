import { type Command, Option } from 'commander';
import type { CliContext } from '../cli-context';
import type { FlorinClient } from '../florin-client';
import { wholeNumber } from '../option-values';
import { type Columns, table } from '../table';
import { whileBusy } from '../while-busy';

const maxLimit = 100;

/** The options of every command that lists results in pages. */
export function addPageOptions(command: Command): Command {
  return command
    .option('--limit <number>', `results per page, 1 to ${maxLimit}`, wholeNumber(1, maxLimit), 50)
    .option('--cursor <cursor>', 'start of the page, as the previous page printed it')
    .addOption(new Option('--all', 'all pages').conflicts('limit'));
}

export interface PageOptions {
  readonly limit: number;
  readonly cursor?: string;
  readonly all?: true;
}

/** The filters, and the options of the page. The pairs of `metadata` are sent as `metadata[key]=value`. */
export type ListQuery = PageOptions & Readonly<Record<string, unknown>>;

interface ResultPage<Row> {
  readonly data: readonly Row[];
  readonly nextCursor?: string;
}

interface List<Row> {
  readonly api: FlorinClient;
  readonly path: string;
  readonly columns: Columns<Row>;
  /** What is listed, such as `open reviews`. */
  readonly plural: string;
  /** Absent if the list has no pages. */
  readonly query?: ListQuery;
}

/** Reads one page of a list, or all, and prints them. */
export async function printPage<Row>(context: CliContext, list: List<Row>): Promise<void> {
  const page = list.query?.all ? await readAll(context, list) : await readPage<Row>(list, list.query);
  const more = page.nextCursor === undefined ? '' : `\n\nMore results: --cursor ${page.nextCursor}, or --all`;
  context.output(page, page.data.length === 0 ? emptyText(list) : `${table(page.data, list.columns)}${more}`);
}

async function readAll<Row>(context: CliContext, list: List<Row>): Promise<ResultPage<Row>> {
  const data: Row[] = [];
  let cursor = list.query?.cursor;
  do {
    const query = { ...list.query, limit: maxLimit, ...(cursor !== undefined && { cursor }) };
    const page = await whileBusy(context, () => readPage<Row>(list, query));
    for (const row of page.data) data.push(row);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return { data };
}

function readPage<Row>({ api, path }: List<Row>, query: Partial<ListQuery> = {}): Promise<ResultPage<Row>> {
  const { all: _, metadata = {}, ...parameters } = query;
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) search.set(name, String(value));
  for (const [key, value] of Object.entries(metadata as object)) search.set(`metadata[${key}]`, String(value));
  return api.get<ResultPage<Row>>(search.size === 0 ? path : `${path}?${search.toString()}`);
}

function emptyText({ plural, query = { limit: maxLimit } }: List<never>): string {
  const { limit: _limit, cursor: _cursor, all: _all, ...filters } = query;
  return Object.keys(filters).length === 0
    ? `There are no ${plural}.`
    : `There are no ${plural} that match the filters.`;
}
