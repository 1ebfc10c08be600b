import { formatMoney, type Money, parseMoney } from '@florin/kernel';
import type { ExportRow } from './export-tables';

/** The sums of all statements of one environment, and their total balance at the end of each UTC day with entries. */
export interface EnvironmentTotals {
  readonly environment: string;
  readonly entries: number;
  readonly balance: string;
  readonly byKind: Readonly<Record<string, string>>;
  readonly byDay: readonly { readonly day: string; readonly balance: string }[];
}

interface Sums {
  entries: number;
  balance: Money;
  readonly byKind: Map<string, Money>;
  readonly byDay: Map<string, Money>;
}

/** Adds up statement entries in the order of the log. */
export class StatementTotals {
  private readonly byEnvironment = new Map<string, Sums>();

  add({ environment, kind, amount, createdAt }: ExportRow): void {
    const sums = this.sumsOf(String(environment));
    const change = parseMoney(String(amount));
    sums.entries += 1;
    sums.balance += change;
    sums.byKind.set(String(kind), (sums.byKind.get(String(kind)) ?? 0n) + change);
    sums.byDay.set(String(createdAt).slice(0, 10), sums.balance);
  }

  get all(): readonly EnvironmentTotals[] {
    return [...this.byEnvironment].sort().map(([environment, { entries, balance, byKind, byDay }]) => ({
      environment,
      entries,
      balance: formatMoney(balance),
      byKind: Object.fromEntries([...byKind].sort().map(([kind, sum]) => [kind, formatMoney(sum)])),
      byDay: [...byDay].sort().map(([day, sum]) => ({ day, balance: formatMoney(sum) })),
    }));
  }

  private sumsOf(environment: string): Sums {
    const sums = this.byEnvironment.get(environment) ?? {
      entries: 0,
      balance: 0n,
      byKind: new Map(),
      byDay: new Map(),
    };
    this.byEnvironment.set(environment, sums);
    return sums;
  }
}
