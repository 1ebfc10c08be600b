import { type AccountDay, type AsOf, type ExplainedAmount, type ExplainedKind, parseAsOf } from '@florin/audit';
import { formatMoney } from '@florin/kernel';
import { operators } from '@florin/read-models';
import { Controller } from '@nestjs/common';
import { z } from 'zod';
import { OperatorEndpoint, type OperatorInput, type ResponseOf } from '../../endpoint';
import { validationFailed } from '../../errors/api-error';
import { all, explainedDay, revision, text } from '../../explanations/explanation-schemas';
import { Explanations } from '../../explanations/explanations';
import { mustBeFound } from '../../must-exist';
import { exampleIds } from '../../ids';
import { nextCursor, pageQuery } from '../../pages';
import { actor, explainedEnum, money, signedMoney, timestamp } from '../../schemas';

const params = z.strictObject({
  kind: explainedEnum<ExplainedKind>('ExplainedKind', 'What to explain', {
    balance: 'The balance of an account',
    operation: 'An operation',
    invoice: 'A funding invoice',
    card: 'A card',
    entry: 'An entry of a statement',
  }).meta({ examples: ['operation'] }),
  id: z
    .string()
    .min(1)
    .max(100)
    .meta({
      description:
        'The id; for a balance the account, such as `<company-id>-live`; for an entry also `<account>@<revision>`',
      examples: [exampleIds.operation],
    }),
});

const query = z.strictObject({
  ...pageQuery,
  asOf: z
    .string()
    .optional()
    .meta({
      description: 'A UTC date (including that day), a time or a position in the log',
      examples: ['2030-01-31'],
    }),
  all,
});

const amount = {
  of: explainedEnum<'account' | 'card'>('AmountOwner', 'What the amount belongs to', {
    account: 'The card account of a company',
    card: 'A card',
  }),
  id: z.string().meta({ description: 'The id of the account or the card', examples: [`${exampleIds.company}-live`] }),
  field: explainedEnum<'available' | 'held' | 'balance'>('AmountField', 'Which amount', {
    available: 'Of an account or a card: what can be used',
    held: 'Of an account: what is reserved for operations in progress',
    balance: 'Of a card: the money on it',
  }),
};

const step = z
  .strictObject({
    at: timestamp,
    position: z.string().meta({ description: 'The place in the log', examples: ['42000'] }),
    stream: z
      .string()
      .meta({ description: 'The stream of the event', examples: ['operation-0f8b4a4e-2f0c-5c4e-9d53-5b6a9d3c1e57'] }),
    revision: revision.meta({ description: 'The place in the stream, from 0' }),
    type: z.string().meta({ description: 'The type of the event', examples: ['FundsReserved'] }),
    text,
    actor: actor.optional().meta({ description: 'Who caused it; absent in events of early releases' }),
    effects: z
      .array(
        z
          .strictObject({ ...amount, delta: signedMoney, after: money })
          .meta({ id: 'AmountEffect', description: 'What an event did to an amount' }),
      )
      .meta({ description: 'What the event changed' }),
  })
  .meta({ id: 'ExplainedStep', description: 'An event and its effects' });

const explanation = z
  .strictObject({
    kind: params.shape.kind,
    id: params.shape.id,
    amounts: z
      .array(
        z
          .strictObject({ ...amount, amount: money })
          .meta({ id: 'ExplainedAmount', description: 'An amount that is explained' }),
      )
      .meta({ description: 'The amounts after the last event up to `asOf`' }),
    days: z.array(explainedDay).optional().meta({ description: 'Of a balance: the days with entries, oldest first' }),
    steps: z.array(step).optional().meta({ description: 'The events, in the order of the log' }),
    nextCursor,
  })
  .meta({ id: 'Explanation', description: 'The events behind an object' });

type ExplainInput = OperatorInput<undefined, typeof query, typeof params>;
type ExplainResponse = ResponseOf<typeof explanation>;

@Controller()
export class ExplanationsController {
  constructor(private readonly explanations: Explanations) {}

  @OperatorEndpoint({
    method: 'GET',
    path: '/operator/v1/explain/:kind/:id',
    operationId: 'explanations.get',
    tag: 'Log',
    role: 'viewer',
    summary: 'Explain a balance, operation, invoice, card or entry',
    description:
      'Returns every event behind the object in plain words: who caused it, what it did to which balance, and the amounts after it. ' +
      'A balance is folded by day, or with `all=true` by event. In pages of at most 100.',
    params,
    query,
    response: { status: 200, description: 'The explanation.', schema: explanation },
  })
  explain(input: ExplainInput): Promise<ExplainResponse> {
    const { kind, id } = input.params;
    const asOf = readAsOf(input.query.asOf);
    return kind === 'balance' ? this.explainBalance(input, id, asOf) : this.explainOther(input, kind, id, asOf);
  }

  private async explainBalance(input: ExplainInput, id: string, asOf: AsOf): Promise<ExplainResponse> {
    const days = await this.explanations.days(operators, id, asOf);
    const head = { kind: 'balance' as const, id, amounts: amountsOf(id, mustBeFound(days.at(-1), 'balance', id)) };
    if (input.query.all !== 'true') {
      const { data, nextCursor } = await this.explanations.pageOfDays(pageOf(input), days);
      return { ...head, days: data, nextCursor };
    }
    const { data, nextCursor } = await this.explanations.pageOfEvents(pageOf(input), operators, id, asOf);
    return { ...head, steps: data, nextCursor };
  }

  private async explainOther(
    input: ExplainInput,
    kind: Exclude<ExplainedKind, 'balance'>,
    id: string,
    asOf: AsOf,
  ): Promise<ExplainResponse> {
    const { amounts, steps } = mustBeFound(await this.explanations.explain(operators, kind, id, asOf), kind, id);
    const { data, nextCursor } = await this.explanations.pageOfSteps(pageOf(input), steps);
    return { kind, id, amounts, steps: data, nextCursor };
  }
}

/** A cursor is valid for one object only. */
function pageOf({ query, params, endpoint }: ExplainInput): Pick<ExplainInput, 'query' | 'endpoint'> {
  return { query, endpoint: `${endpoint} ${params.kind} ${params.id}` };
}

function readAsOf(text: string | undefined): AsOf {
  if (text === undefined) return {};
  const asOf = parseAsOf(text);
  if (asOf === undefined)
    throw validationFailed('asOf must be a date, a time with an offset or a position in the log.');
  return asOf;
}

function amountsOf(id: string, { available, held }: AccountDay): readonly ExplainedAmount[] {
  return [
    { of: 'account', id, field: 'available', amount: formatMoney(available) },
    { of: 'account', id, field: 'held', amount: formatMoney(held) },
  ];
}
