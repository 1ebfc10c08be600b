import { formatMoney, type Money, type MoneyText, parseMoney } from '@florin/kernel';
import { type AccountEvent, entriesOf, type EntryKind } from '@florin/ledger-domain';
import type { LoggedEvent } from './logged-event';

export interface KindTotal {
  readonly kind: EntryKind;
  readonly count: number;
  readonly availableDelta: Money;
  readonly heldDelta: Money;
}

/** A UTC day of an account that has entries. */
export interface AccountDay {
  readonly date: string;
  /** Of the last event of the day. */
  readonly revision: number;
  readonly available: Money;
  readonly held: Money;
  readonly entries: readonly KindTotal[];
}

/** A day as one step of an explanation. */
export interface ExplainedDay {
  readonly date: string;
  readonly revision: number;
  readonly text: string;
  readonly available: MoneyText;
  readonly held: MoneyText;
  readonly entries: readonly {
    readonly kind: EntryKind;
    readonly count: number;
    readonly availableDelta: MoneyText;
    readonly heldDelta: MoneyText;
  }[];
}

/** Adds events to days that end right before them. */
export function foldByDay(days: readonly AccountDay[], events: readonly LoggedEvent[]): readonly AccountDay[] {
  const folded = new Map(days.map((day) => [day.date, day]));
  for (const { recordedAt, revision, event } of events) {
    if (event === undefined) continue;
    const { after } = (event as AccountEvent).data;
    const date = recordedAt.slice(0, 10);
    folded.set(date, {
      ...{ date, revision, available: parseMoney(after.available), held: parseMoney(after.held) },
      entries: addEntries(folded.get(date)?.entries ?? [], event as AccountEvent),
    });
  }
  return [...folded.values()];
}

function addEntries(totals: readonly KindTotal[], event: AccountEvent): readonly KindTotal[] {
  const byKind = new Map(totals.map((total) => [total.kind, total]));
  for (const { kind, availableDelta, heldDelta } of entriesOf(event)) {
    const total = byKind.get(kind) ?? { kind, count: 0, availableDelta: 0n, heldDelta: 0n };
    byKind.set(kind, {
      ...{ kind, count: total.count + 1 },
      availableDelta: total.availableDelta + availableDelta,
      heldDelta: total.heldDelta + heldDelta,
    });
  }
  return [...byKind.values()].sort((one, other) => (one.kind < other.kind ? -1 : 1));
}

export function explainDay({ date, revision, available, held, entries }: AccountDay): ExplainedDay {
  return {
    ...{ date, revision, text: describeDay(entries), available: formatMoney(available), held: formatMoney(held) },
    entries: entries.map(({ kind, count, availableDelta, heldDelta }) => ({
      ...{ kind, count, availableDelta: formatMoney(availableDelta), heldDelta: formatMoney(heldDelta) },
    })),
  };
}

/** `2 deposits (1000.00 available), 1 reservation (-103.20 available, 103.20 held).` */
function describeDay(entries: readonly KindTotal[]): string {
  const parts = entries.map(({ kind, count, availableDelta, heldDelta }) => {
    const changes = [
      ...(availableDelta === 0n ? [] : [`${formatMoney(availableDelta)} available`]),
      ...(heldDelta === 0n ? [] : [`${formatMoney(heldDelta)} held`]),
    ];
    return `${count} ${kind}${count === 1 ? '' : 's'} (${changes.join(', ') || 'no change'})`;
  });
  return `${parts.join(', ')}.`;
}
