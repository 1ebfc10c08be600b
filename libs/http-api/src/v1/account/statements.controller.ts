import { type Clock, formatMoney } from '@florin/kernel';
import { CLOCK, FairQueue, mapInTurns } from '@florin/event-sourcing';
import { AccountEntriesQueries, type StatementView } from '@florin/read-models';
import { Controller, Inject } from '@nestjs/common';
import { z } from 'zod';
import { Endpoint, type Input, RawText, type ResponseOf } from '../../endpoint';
import { ApiError, validationFailed } from '../../errors/api-error';
import { date, environment, id, money, signedMoney, timestamp } from '../../schemas';
import { prefersCsv } from './prefers-csv';
import { statementCsv } from './statement-csv';

const maxDays = 366;
const maxEntries = 10_000;
const dayMs = 24 * 60 * 60 * 1000;

const range = z.strictObject({ from: date, to: date });

const entry = z.strictObject({
  id,
  reference: z.string().meta({ description: 'The id of the operation, invoice or deposit of this entry' }),
  kind: z.enum(['deposit', 'fee', 'reservation', 'capture', 'release', 'refund', 'adjustment']),
  description: z.string(),
  amount: signedMoney.meta({ description: 'availableDelta + heldDelta' }),
  balance: money.meta({ description: 'available + held after this entry' }),
  availableDelta: signedMoney,
  heldDelta: signedMoney,
  createdAt: timestamp,
});

const statement = z.strictObject({
  company: z.strictObject({ id, name: z.string() }),
  environment,
  currency: z.literal('USD'),
  account: z.literal('card_account'),
  from: date,
  to: date,
  openingBalance: money,
  closingBalance: money,
  incoming: money,
  outgoing: money,
  generatedAt: timestamp,
  data: z.array(entry),
});

@Controller()
export class StatementsController {
  /** A company gets one statement after another: each takes tens of milliseconds of the event loop, in parts. */
  private readonly queue = new FairQueue({ slots: Infinity, slotsPerGroup: 1, maxWaitingPerGroup: Infinity });

  constructor(
    private readonly entries: AccountEntriesQueries,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Endpoint({
    method: 'GET',
    path: '/api/v1/account-statements',
    tag: 'Account',
    summary: 'Generate a card-account statement',
    description:
      'Returns the entries of the account between two UTC calendar dates, both inclusive. A range has at most 366 days and 10,000 entries. ' +
      'Send `Accept: text/csv` to get the same entries as CSV.',
    scope: 'balance:read',
    rateLimit: 'statements',
    query: range,
    response: { status: 200, description: 'The statement.', schema: statement, contentTypes: ['text/csv'] },
    errors: ['statement_too_large'],
  })
  read(input: Input<undefined, typeof range>): Promise<ResponseOf<typeof statement>> {
    const { companyId, environment } = input.caller;
    return this.queue.run(`${companyId}/${environment}`, () => this.readAlone(input));
  }

  private async readAlone({ query, caller, accept }: Input<undefined, typeof range>): Promise<RawText> {
    const { companyId, companyName, environment } = caller;
    const { from, until } = readRange(query.from, query.to);
    const view = await this.entries.statement({ companyId, environment }, from, until, maxEntries);
    if (view === undefined) throw tooLarge(`The range has more than ${maxEntries} entries; narrow it.`);
    if (prefersCsv(accept)) return new RawText(await statementCsv(view.lines), 'text/csv; charset=utf-8');
    return statementJson(view, {
      company: { id: companyId, name: companyName },
      environment,
      currency: 'USD',
      account: 'card_account',
      from: query.from,
      to: query.to,
      openingBalance: formatMoney(view.openingBalance),
      closingBalance: formatMoney(view.closingBalance),
      incoming: formatMoney(view.incoming),
      outgoing: formatMoney(view.outgoing),
      generatedAt: this.clock.now().toISOString(),
    });
  }
}

/** Serializes the lines in parts, which is why this is not left to the endpoint. */
async function statementJson(
  { lines }: StatementView,
  head: Omit<z.input<typeof statement>, 'data'>,
): Promise<RawText> {
  const data = await mapInTurns(lines, (line) => JSON.stringify(line));
  return new RawText(
    `${JSON.stringify(head).slice(0, -1)},"data":[${data.join(',')}]}`,
    'application/json; charset=utf-8',
  );
}

/** From the start of the first day to the end of the last, exclusive. */
function readRange(from: string, to: string): { from: Date; until: Date } {
  const first = Date.parse(`${from}T00:00:00.000Z`);
  const end = Date.parse(`${to}T00:00:00.000Z`) + dayMs;
  if (first >= end) throw validationFailed('from must not be after to.');
  if (end - first > maxDays * dayMs) throw tooLarge(`The range has more than ${maxDays} days; narrow it.`);
  return { from: new Date(first), until: new Date(end) };
}

function tooLarge(message: string): ApiError {
  return new ApiError('statement_too_large', message);
}
