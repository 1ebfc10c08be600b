import {
  type AsOf,
  BalanceReader,
  DaysDiffer,
  explainDay,
  type ExplainedAmount,
  type ExplainedDay,
  type ExplainedKind,
  type ExplainedStep,
  ExplanationReader,
} from '@florin/audit';
import { createPool } from '@florin/database';
import type { EventStore } from '@florin/event-sourcing';
import { ExplanationIndex } from '@florin/read-models/tools';
import type { CliContext } from '../cli-context';
import { CommandFailed } from '../cli-errors';
import { actorText } from '../commands/actor-text';
import { table } from '../table';
import { readAsOf } from './as-of';
import { withEventLog } from './with-event-log';

export interface ExplainOptions {
  readonly asOf?: string;
  readonly all?: boolean;
}

/** The result. A balance has days, everything else has steps. */
interface Explained {
  readonly days?: readonly ExplainedDay[];
  readonly steps?: readonly ExplainedStep[];
  readonly amounts?: readonly ExplainedAmount[];
}

/** Reads the database directly: the result must not depend on a running service. */
export function runExplain(
  context: CliContext,
  kind: ExplainedKind,
  id: string,
  options: ExplainOptions,
): Promise<void> {
  const asOf = options.asOf === undefined ? {} : readAsOf('--as-of', options.asOf);
  return withEventLog(
    context.environment,
    { migrate: false, role: 'auditor', readOnly: true },
    async ({ store, connection }) => {
      const pool = createPool(connection, { max: 1 });
      try {
        const index = ExplanationIndex.on(pool);
        const explained = await (kind === 'balance'
          ? explainBalance(new BalanceReader(store, index), id, asOf, options.all)
          : explainOther({ store, index }, kind, id, asOf));
        if (explained === undefined) {
          throw new CommandFailed(
            `The log has no ${kind} ${id}${options.asOf === undefined ? '' : ' up to that time'}. Check the id.`,
          );
        }
        context.output({ kind, id, ...explained }, textOf(kind, id, explained));
      } catch (error) {
        throw error instanceof DaysDiffer ? new CommandFailed(error.message) : error;
      } finally {
        await pool.end();
      }
    },
  );
}

async function explainBalance(
  reader: BalanceReader,
  id: string,
  asOf: AsOf,
  all = false,
): Promise<Explained | undefined> {
  if (all) {
    const steps = await reader.steps(id, asOf, -1);
    return steps.length === 0 ? undefined : { steps };
  }
  const days = await reader.byDay(id, asOf);
  return days.length === 0 ? undefined : { days: days.map(explainDay) };
}

async function explainOther(
  { store, index }: { readonly store: EventStore; readonly index: ExplanationIndex },
  kind: Exclude<ExplainedKind, 'balance'>,
  id: string,
  asOf: AsOf,
): Promise<Explained | undefined> {
  const explanation = await new ExplanationReader(store, index).explain(kind, id, asOf);
  return explanation && { amounts: explanation.amounts, steps: explanation.steps };
}

function textOf(kind: ExplainedKind, id: string, { days, steps = [], amounts = [] }: Explained): string {
  const heading = `${kind[0]!.toUpperCase()}${kind.slice(1)} ${id}`;
  if (days !== undefined) return `${heading}\n\n${dayTable(days)}`;
  const after = amounts.map(({ of, id: owner, field, amount }) => `${of} ${owner}: ${amount} ${field}`);
  return [
    `${heading}\n`,
    stepTable(steps),
    ...(after.length === 0 ? [] : ['', 'After the last event:', ...after]),
  ].join('\n');
}

function dayTable(days: readonly ExplainedDay[]): string {
  return table(days, {
    DAY: ({ date }) => date,
    AVAILABLE: ({ available }) => available,
    HELD: ({ held }) => held,
    'WHAT HAPPENED': ({ text }) => text,
  });
}

function stepTable(steps: readonly ExplainedStep[]): string {
  return table(steps, {
    TIME: ({ at }) => at,
    EVENT: ({ stream, revision }) => `${stream}@${revision}`,
    'WHAT HAPPENED': ({ text }) => text,
    BY: ({ actor }) => actorText(actor),
    EFFECT: ({ effects }) =>
      effects.map(({ of, field, delta, after }) => `${of} ${field} ${delta} = ${after}`).join(', '),
  });
}
