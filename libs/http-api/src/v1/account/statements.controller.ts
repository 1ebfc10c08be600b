import type { Clock } from '@florin/kernel';
import { CLOCK, FairQueue } from '@florin/event-sourcing';
import { AccountEntriesQueries, type StatementPeriod, type StatementView } from '@florin/read-models';
import { Controller, Inject } from '@nestjs/common';
import { z } from 'zod';
import type { Caller } from '../../caller';
import { Endpoint, type Input, RawText, type ResponseOf } from '../../endpoint';
import { companyId, entryId, exampleIds } from '../../ids';
import { currency, date, environment, money, signedMoney, timestamp } from '../../schemas';
import { readDays, tooLarge } from './days';
import { entryKind } from './entry-kind';
import { prefersCsv } from './prefers-csv';
import { statementCsv } from './statement-csv';
import { type StatementJson, statementJson } from './statement-json';

const maxEntries = 10_000;

/** A revision of the account in a query. */
const revisionInput = z
  .string()
  .regex(/^(-1|0|[1-9]\d{0,14})$/, { error: 'must be the revision of a statement, such as 41' })
  .meta({
    description: 'The `revision` of a statement',
    type: 'integer',
    minimum: -1,
    maximum: 999_999_999_999_999,
    examples: [41],
  })
  .transform(Number);

const range = z.strictObject({
  from: date,
  to: date,
  revision: revisionInput.optional().meta({
    description: 'The `revision` of an earlier statement: leaves out all later entries, so the statement is the same',
  }),
});

const revision = z
  .int()
  .min(-1)
  .meta({
    description:
      'The number of the newest event of the account that the statement includes, from 0; -1 if there is none',
    examples: [41],
  });

const hash = z
  .string()
  .regex(/^[0-9a-f]{64}$/, { error: 'must be the hash of a statement, 64 lowercase hexadecimal digits' })
  .meta({
    description: 'SHA-256 of the statement in canonical form',
    examples: ['b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9'],
  });

const entry = z
  .strictObject({
    id: entryId,
    reference: z.string().meta({
      description: 'The id of the operation, invoice, deposit or adjustment of this entry',
      examples: [exampleIds.operation],
    }),
    kind: entryKind,
    description: z.string().meta({ description: 'What happened, for people', examples: ['Card top-up'] }),
    amount: signedMoney.meta({ description: 'availableDelta + heldDelta' }),
    balance: money.meta({ description: 'available + held after this entry' }),
    availableDelta: signedMoney,
    heldDelta: signedMoney,
    createdAt: timestamp,
  })
  .meta({ id: 'StatementEntry', description: 'An entry of the account' });

const statement = z
  .strictObject({
    company: z
      .strictObject({
        id: companyId,
        name: z.string().meta({ description: 'The name of the company', examples: ['Example Ltd'] }),
      })
      .meta({ id: 'StatementCompany', description: 'The company of a statement' }),
    environment,
    currency,
    account: z.literal('card_account').meta({ description: 'The account of the statement' }),
    from: date,
    to: date,
    openingBalance: money.meta({ description: 'The balance before the first day' }),
    closingBalance: money.meta({ description: 'The balance at the end of the last day' }),
    incoming: money.meta({ description: 'The sum of all entries that increase the balance' }),
    outgoing: money.meta({ description: 'The sum of all entries that decrease the balance, without a sign' }),
    revision,
    hash,
    generatedAt: timestamp,
    data: z.array(entry).meta({ description: 'The entries, oldest first' }),
  })
  .meta({ id: 'AccountStatement', description: 'A statement of the card account' });

const evidence = z.strictObject({ from: date, to: date, revision: revisionInput, hash });

const verification = z
  .strictObject({
    valid: z.boolean().meta({ description: 'Whether the statement as of this revision has this hash' }),
    from: date,
    to: date,
    revision,
    hash,
    recorded: z
      .strictObject({
        revision,
        hash,
        entries: z.int().meta({ description: 'The number of entries' }),
        openingBalance: money,
        closingBalance: money,
      })
      .meta({ id: 'RecordedStatement', description: 'The statement as of this revision, as it is recorded' }),
    newestRevision: revision.meta({
      description: 'The revision of the same statement now. If it is greater, entries have followed in this period',
    }),
  })
  .meta({ id: 'StatementVerification', description: 'Whether a statement is valid' });

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
    operationId: 'statements.get',
    tag: 'Account',
    summary: 'Generate a card-account statement',
    description:
      'Returns the entries of the account between two UTC calendar dates, both inclusive. A range has at most 366 days and 10,000 entries. ' +
      'Send `Accept: text/csv` to get the same entries as CSV. The same `revision` always gives the same statement, apart from ' +
      '`generatedAt` and the name of the company, and the same `hash`; see "Statement hashes" in the introduction.',
    scope: 'balance:read',
    rateLimit: 'statements',
    query: range,
    response: { status: 200, description: 'The statement.', schema: statement, contentTypes: ['text/csv'] },
    errors: ['statement_too_large'],
  })
  read(input: Input<undefined, typeof range>): Promise<ResponseOf<typeof statement>> {
    return this.alone(input.caller, () => this.generate(input));
  }

  @Endpoint({
    method: 'GET',
    path: '/api/v1/account-statements/verify',
    operationId: 'statements.verify',
    tag: 'Account',
    summary: 'Verify a card-account statement',
    description:
      'Confirms a statement that was generated earlier, by its dates, `revision` and `hash`. Later entries do not make it invalid. ' +
      'Otherwise `valid` is false, and `recorded` shows the statement as it is recorded.',
    scope: 'balance:read',
    rateLimit: 'statements',
    query: evidence,
    response: { status: 200, description: 'Whether the statement is valid.', schema: verification },
    errors: ['statement_too_large'],
  })
  verify(input: Input<undefined, typeof evidence>): Promise<ResponseOf<typeof verification>> {
    return this.alone(input.caller, () => this.compare(input));
  }

  private alone<Result>({ companyId, environment }: Caller, task: () => Promise<Result>): Promise<Result> {
    return this.queue.run(`${companyId}/${environment}`, task);
  }

  private async generate({ query, caller, accept }: Input<undefined, typeof range>): Promise<RawText> {
    const view = await this.view(caller, { ...readDays(query), revision: query.revision });
    if (prefersCsv(accept)) return new RawText(await statementCsv(view.lines), 'text/csv; charset=utf-8');
    return responseOf(await statementJson(caller, query, view), caller, this.clock.now());
  }

  private async compare({ query, caller }: Input<undefined, typeof evidence>): Promise<z.output<typeof verification>> {
    const { from, to, revision, hash } = query;
    const period = readDays(query);
    const view = await this.view(caller, { ...period, revision });
    const recorded = await statementJson(caller, query, view);
    const { openingBalance, closingBalance } = recorded.head;
    return {
      valid: view.revision === revision && recorded.hash === hash,
      from,
      to,
      revision,
      hash,
      recorded: {
        revision: view.revision,
        hash: recorded.hash,
        entries: view.lines.length,
        openingBalance,
        closingBalance,
      },
      newestRevision: await this.entries.revisionAt(caller, period.until),
    };
  }

  private async view(caller: Caller, period: StatementPeriod): Promise<StatementView> {
    const view = await this.entries.statement(caller, period, maxEntries);
    if (view === undefined) throw tooLarge(`The range has more than ${maxEntries} entries; narrow it.`);
    return view;
  }
}

function responseOf({ head, hash, data }: StatementJson, caller: Caller, now: Date): RawText {
  const company = { id: caller.companyId, name: caller.companyName };
  const fields = JSON.stringify({ company, ...head, hash, generatedAt: now.toISOString() });
  return new RawText(`${fields.slice(0, -1)},"data":${data}}`, 'application/json; charset=utf-8');
}
