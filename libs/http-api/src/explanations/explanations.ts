import {
  type AccountDay,
  type AsOf,
  BalanceReader,
  explainDay,
  type ExplainedDay,
  type ExplainedKind,
  type ExplainedStep,
  type Explanation,
  ExplanationReader,
} from '@florin/audit';
import { EVENT_STORE, type EventStore } from '@florin/event-sourcing';
import { ExplanationQueries, type Reader } from '@florin/read-models';
import { Inject, Injectable } from '@nestjs/common';
import type { Caller } from '../caller';
import { Cursors, type Page } from '../pages';

/** The request for a page. */
interface PageInput {
  readonly query: object & { readonly limit?: number; readonly cursor?: string };
  readonly caller?: Caller;
  readonly endpoint: string;
}

/** The events behind balances and other objects, for companies and operators. */
@Injectable()
export class Explanations {
  constructor(
    @Inject(EVENT_STORE) private readonly store: EventStore,
    private readonly queries: ExplanationQueries,
    private readonly cursors: Cursors,
  ) {}

  /** The days of an account with entries, oldest first. */
  async days(reader: Reader, accountId: string, asOf: AsOf): Promise<readonly AccountDay[]> {
    const balances = await this.balances(reader);
    return balances.byDay(accountId, asOf);
  }

  async pageOfDays(input: PageInput, days: readonly AccountDay[]): Promise<Page<ExplainedDay>> {
    const endOf = ({ date }: AccountDay) => ({ createdAt: date, id: date });
    const page = await this.cursors.readPage(input, endOf, async (_, { limit, after }) =>
      days.filter(({ date }) => after === undefined || date > after.id).slice(0, limit),
    );
    return { data: page.data.map(explainDay), nextCursor: page.nextCursor };
  }

  /** The events of an account. A page is read from its first event on. */
  pageOfEvents(input: PageInput, reader: Reader, accountId: string, asOf: AsOf): Promise<Page<ExplainedStep>> {
    const endOf = ({ at, revision }: ExplainedStep) => ({ createdAt: at, id: String(revision) });
    return this.cursors.readPage(input, endOf, async (_, { limit, after }) => {
      const balances = await this.balances(reader);
      return balances.steps(accountId, asOf, after === undefined ? -1 : Number(after.id), limit);
    });
  }

  pageOfSteps(input: PageInput, steps: readonly ExplainedStep[]): Promise<Page<ExplainedStep>> {
    const endOf = ({ at, position }: ExplainedStep) => ({ createdAt: at, id: position });
    return this.cursors.readPage(input, endOf, async (_, { limit, after }) =>
      steps.filter(({ position }) => after === undefined || BigInt(position) > BigInt(after.id)).slice(0, limit),
    );
  }

  /** Undefined if there is no such object up to that time. */
  async explain(
    reader: Reader,
    kind: Exclude<ExplainedKind, 'balance'>,
    id: string,
    asOf: AsOf,
  ): Promise<Explanation | undefined> {
    return new ExplanationReader(this.store, await this.queries.indexFor(reader)).explain(kind, id, asOf);
  }

  private async balances(reader: Reader): Promise<BalanceReader> {
    return new BalanceReader(this.store, await this.queries.indexFor(reader));
  }
}
