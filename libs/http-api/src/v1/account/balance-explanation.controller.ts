import type { AsOf, ExplainedStep } from '@florin/audit';
import { formatMoney } from '@florin/kernel';
import { accountIdOf } from '@florin/ledger-domain';
import { Controller } from '@nestjs/common';
import { z } from 'zod';
import { Endpoint, type Input, type ResponseOf } from '../../endpoint';
import { all, explainedDay, revision, text } from '../../explanations/explanation-schemas';
import { Explanations } from '../../explanations/explanations';
import { nextCursor, pageQuery } from '../../pages';
import {
  actorKind,
  currency,
  environment,
  explainedEnum,
  money,
  signedMoney,
  timestamp,
  timestampInput,
} from '../../schemas';

const query = z.strictObject({
  ...pageQuery,
  at: timestampInput.optional().meta({ description: 'The time of the balance; the default is now' }),
  all,
});

const field = explainedEnum<'available' | 'held'>('BalanceField', 'A part of the balance', {
  available: 'The funds that new operations can use',
  held: 'The funds reserved for operations in progress',
});

const event = z
  .strictObject({
    revision: revision.meta({ description: 'The number of the event in the account, from 0' }),
    at: timestamp,
    text,
    by: actorKind.optional().meta({ description: 'Who caused it; absent in events of early releases' }),
    effects: z
      .array(
        z
          .strictObject({ field, delta: signedMoney, after: money })
          .meta({ id: 'Effect', description: 'What an event did to the balance' }),
      )
      .meta({ description: 'What the event changed' }),
  })
  .meta({ id: 'ExplainedEvent', description: 'An event that changed the balance' });

const explanation = z
  .strictObject({
    at: timestamp.optional().meta({ description: 'The requested time; absent for now' }),
    revision: revision.meta({ description: 'The number of the newest event until then; -1 if there is none' }),
    available: money,
    held: money,
    balance: money.meta({ description: 'available + held' }),
    currency,
    environment,
    days: z.array(explainedDay).optional().meta({ description: 'The days with entries, oldest first' }),
    events: z.array(event).optional().meta({ description: 'With `all=true`: the events, oldest first' }),
    nextCursor,
  })
  .meta({ id: 'BalanceExplanation', description: 'A balance and how it came about' });

@Controller()
export class BalanceExplanationController {
  constructor(private readonly explanations: Explanations) {}

  @Endpoint({
    method: 'GET',
    path: '/api/v1/balance/explain',
    operationId: 'balance.explain',
    tag: 'Account',
    summary: 'Explain the balance',
    description:
      'Returns the balance at a time, and how it came about: every UTC day with entries, or with `all=true` every event, in plain words, ' +
      'with what it did to the available and held funds. In pages of at most 100 days or events.',
    scope: 'balance:read',
    rateLimit: 'statements',
    query,
    response: { status: 200, description: 'The explanation.', schema: explanation },
  })
  async explain(input: Input<undefined, typeof query>): Promise<ResponseOf<typeof explanation>> {
    const { caller, query } = input;
    const { companyId, environment } = caller;
    const accountId = accountIdOf(companyId, environment);
    const asOf: AsOf = query.at === undefined ? {} : { before: new Date(Date.parse(query.at) + 1) };
    const days = await this.explanations.days(caller, accountId, asOf);
    const last = days.at(-1) ?? { revision: -1, available: 0n, held: 0n };
    const balances = {
      ...(query.at === undefined ? {} : { at: query.at }),
      ...{ revision: last.revision, available: formatMoney(last.available), held: formatMoney(last.held) },
      balance: formatMoney(last.available + last.held),
    };
    const head = { ...balances, currency: 'USD' as const, environment };
    if (query.all !== 'true') {
      const { data, nextCursor } = await this.explanations.pageOfDays(input, days);
      return { ...head, days: data, nextCursor };
    }
    const { data, nextCursor } = await this.explanations.pageOfEvents(input, caller, accountId, asOf);
    return { ...head, events: data.map(eventOf), nextCursor };
  }
}

/** Companies see who caused an event as a kind, because operators are not named to them. */
function eventOf({ revision, at, text, actor, effects }: ExplainedStep): z.output<typeof event> {
  return {
    ...{ revision, at, text, ...(actor === undefined ? {} : { by: actor.kind }) },
    effects: effects.map(({ field, delta, after }) => ({
      field: field === 'held' ? 'held' : 'available',
      delta,
      after,
    })),
  };
}
