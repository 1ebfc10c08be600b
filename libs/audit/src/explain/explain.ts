import type { Actor, MoneyText } from '@florin/kernel';
import { type Effect, Effects } from './effects';
import type { LoggedEvent } from './logged-event';
import { sentenceOf } from './sentences';

export const explainedKinds = ['balance', 'operation', 'invoice', 'card', 'entry'] as const;
export type ExplainedKind = (typeof explainedKinds)[number];

/** One event behind an object. */
export interface ExplainedStep {
  readonly at: string;
  /** The place in the log. */
  readonly position: string;
  readonly stream: string;
  readonly revision: number;
  readonly type: string;
  readonly text: string;
  /** Who caused it. Absent in events of early releases. */
  readonly actor?: Actor;
  readonly effects: readonly Effect[];
}

/** An amount after the last event. */
export type ExplainedAmount = Pick<Effect, 'of' | 'id' | 'field'> & { readonly amount: MoneyText };

export interface Explanation {
  readonly kind: ExplainedKind;
  readonly id: string;
  readonly amounts: readonly ExplainedAmount[];
  readonly steps: readonly ExplainedStep[];
}

/**
 * Explains an object by its events, in the order of the log. Events of other objects are left out, but the events of a card
 * must be complete from its first one. An entry is explained by the event behind it and by the operation or invoice of that
 * event, `origin`.
 */
export function explain(
  kind: ExplainedKind,
  id: string,
  events: readonly LoggedEvent[],
  origin?: { readonly kind: ExplainedKind; readonly id: string },
): Explanation {
  const ordered = events.toSorted((one, other) => (one.position < other.position ? -1 : 1));
  const isBehind = selection(origin?.kind ?? kind, origin?.id ?? id, ordered);
  const effects = new Effects();
  const amounts = new Map<string, ExplainedAmount>();
  const steps = ordered.flatMap((logged): ExplainedStep[] => {
    const caused = effects.of(logged);
    if (!isBehind(logged)) return [];
    for (const { of, id: owner, field, after } of caused) {
      amounts.set(`${of} ${owner} ${field}`, { of, id: owner, field, amount: after });
    }
    return [stepOf(logged, caused)];
  });
  return { kind, id, amounts: [...amounts.values()], steps };
}

export function stepOf(logged: LoggedEvent, effects: readonly Effect[]): ExplainedStep {
  const { recordedAt: at, position, stream, revision, type, actor } = logged;
  return {
    ...{ at, position: String(position), stream, revision, type, text: sentenceOf(logged) },
    ...(actor === undefined ? {} : { actor }),
    effects,
  };
}

function selection(kind: ExplainedKind, id: string, events: readonly LoggedEvent[]): (logged: LoggedEvent) => boolean {
  const names = (logged: LoggedEvent, field: string, value: string): boolean =>
    (logged.event?.data as Readonly<Record<string, unknown>> | undefined)?.[field] === value;
  switch (kind) {
    case 'balance':
      return ({ stream }) => stream === `account-${id}`;
    case 'card':
      return ({ stream }) => stream === `card-${id}`;
    case 'operation':
      return (logged) =>
        logged.stream === `operation-${id}` || names(logged, 'operationId', id) || names(logged, 'reference', id);
    case 'invoice': {
      const deposits = new Set(
        events.filter((logged) => names(logged, 'invoiceId', id)).flatMap((logged) => depositsOf(logged)),
      );
      return (logged) =>
        names(logged, 'invoiceId', id) ||
        names(logged, 'reference', id) ||
        depositsOf(logged).some((deposit) => deposits.has(deposit));
    }
    case 'entry':
      return () => true;
  }
}

/** The deposit that an event of an invoice or an address is about. */
function depositsOf({ stream, event }: LoggedEvent): readonly string[] {
  if (event === undefined || stream.startsWith('account-')) return [];
  const { depositId, deposit } = event.data as { depositId?: string; deposit?: { depositId: string } };
  return [depositId, deposit?.depositId].filter((id) => id !== undefined);
}
