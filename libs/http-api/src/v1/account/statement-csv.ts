import { mapInTurns } from '@florin/event-sourcing';
import type { StatementLine } from '@florin/read-models';

const columns = [
  'id',
  'reference',
  'kind',
  'description',
  'amount',
  'balance',
  'availableDelta',
  'heldDelta',
  'createdAt',
] as const satisfies readonly (keyof StatementLine)[];

/** Text that a spreadsheet would run as a formula. Applies to free text only: amounts may begin with a minus sign. */
const formula = /^[=+\-@\t\r]/;
const needsQuotes = /[",\r\n]/;

/** RFC 4180: a header line, then one line per entry, with CRLF. */
export async function statementCsv(lines: readonly StatementLine[]): Promise<string> {
  const rows = await mapInTurns(lines, (line) => columns.map((column) => cell(column, line[column])).join(','));
  return [columns.join(','), ...rows, ''].join('\r\n');
}

function cell(column: (typeof columns)[number], text: string): string {
  const safe = column === 'description' && formula.test(text) ? `'${text}` : text;
  return needsQuotes.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
