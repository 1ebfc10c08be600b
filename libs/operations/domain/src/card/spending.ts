import type { Money } from '@florin/kernel';

/** What was spent per UTC day and month. Only the newest two of each are kept, because limits concern the current ones. */
export interface Spending {
  readonly days: Map<string, Money>;
  readonly months: Map<string, Money>;
}

const keptPeriods = 2;

export function noSpending(): Spending {
  return { days: new Map(), months: new Map() };
}

/** The UTC day of a time. */
export function dayOf(time: string): string {
  return time.slice(0, '2030-01-31'.length);
}

function monthOf(day: string): string {
  return day.slice(0, '2030-01'.length);
}

/** What was spent on that day, and in its month. */
export function spentOn({ days, months }: Spending, day: string): { readonly day: Money; readonly month: Money } {
  return { day: days.get(day) ?? 0n, month: months.get(monthOf(day)) ?? 0n };
}

/** A negative amount returns money to its day. */
export function spend({ days, months }: Spending, day: string, amount: Money): void {
  if (amount === 0n) return;
  add(days, day, amount);
  add(months, monthOf(day), amount);
}

function add(periods: Map<string, Money>, period: string, amount: Money): void {
  const known = periods.get(period);
  // Nothing is returned to a period that is no longer kept.
  if (known === undefined && amount < 0n) return;
  periods.set(period, (known ?? 0n) + amount);
  for (const old of [...periods.keys()].sort().slice(0, -keptPeriods)) periods.delete(old);
}
