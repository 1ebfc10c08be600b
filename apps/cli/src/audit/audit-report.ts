import { type AccountSums, type LogAudit, operationStatuses, type OperationStatus, type Remark } from '@florin/audit';
import { formatMoney, type Money } from '@florin/kernel';
import type { ComparedReadModel } from './compare-read-models';

type Amounts = Readonly<Record<keyof AccountSums, string>>;

/** The accounts of one environment: what is in the sandbox is not money. */
export interface EnvironmentReport extends Amounts {
  readonly environment: string;
  readonly accounts: number;
  readonly operations: Readonly<Record<OperationStatus, number>>;
}

/** What the audit found, as data. */
export interface AuditReport {
  readonly account?: string;
  readonly events: number;
  readonly streams: number;
  readonly head: string;
  readonly environments: readonly EnvironmentReport[];
  readonly readModels: readonly { readonly name: string; readonly state: 'agrees' | 'differs' | 'behind' }[];
  /** What is worth knowing, and not wrong. */
  readonly notes: readonly Remark[];
  readonly flaws: readonly Remark[];
}

export function auditReport(
  audit: LogAudit,
  readModels: readonly ComparedReadModel[],
  account: string | undefined,
): AuditReport {
  return {
    ...(account !== undefined && { account }),
    events: audit.events,
    streams: audit.streams,
    head: String(audit.head),
    environments: environmentsOf(audit),
    readModels: readModels.map(({ name, behindAt, flaws }) => {
      if (behindAt !== undefined) return { name, state: 'behind' };
      return { name, state: flaws.length === 0 ? 'agrees' : 'differs' };
    }),
    notes: [...readModels.flatMap(behind), ...audit.underWay],
    flaws: [...audit.flaws, ...readModels.flatMap(({ flaws }) => flaws)],
  };
}

function behind({ name, behindAt }: ComparedReadModel): readonly Remark[] {
  if (behindAt === undefined) return [];
  const text = `has read up to position ${behindAt} only, and was not compared; start Florin, let it catch up, and audit again`;
  return [{ at: name, text }];
}

interface Sums {
  accounts: number;
  readonly money: Record<keyof AccountSums, Money>;
  readonly operations: Record<OperationStatus, number>;
}

function environmentsOf({ books }: LogAudit): readonly EnvironmentReport[] {
  const byName = new Map<string, Sums>();
  const sumsOf = (stream: string): Sums => {
    const name = /-(sandbox|live)$/.exec(stream)?.[1] ?? 'unknown';
    const sums = byName.get(name) ?? emptySums();
    byName.set(name, sums);
    return sums;
  };
  for (const { stream, sums: own } of books.accounts.values()) {
    const sums = sumsOf(stream);
    sums.accounts += 1;
    for (const field of moneyFields) sums.money[field] += own[field];
  }
  for (const { payer, account, isOrdered, status } of books.operations.values()) {
    const stream = payer ?? account;
    if (isOrdered && stream !== undefined) sumsOf(stream).operations[status] += 1;
  }
  return [...byName].sort().map(([environment, { accounts, money, operations }]) => {
    const amounts = Object.fromEntries(moneyFields.map((field) => [field, formatMoney(money[field])])) as Amounts;
    return { environment, accounts, ...amounts, operations };
  });
}

const moneyFields = ['deposited', 'fees', 'captured', 'held', 'available'] as const satisfies (keyof AccountSums)[];

function emptySums(): Sums {
  const money = { deposited: 0n, fees: 0n, captured: 0n, held: 0n, available: 0n };
  const operations = Object.fromEntries(operationStatuses.map((status) => [status, 0])) as Sums['operations'];
  return { accounts: 0, money, operations };
}
