import { type AccountSums, type Finding, type LogAudit, operationStatuses, type OperationStatus } from '@florin/audit';
import { formatMoney, type Money } from '@florin/kernel';
import type { EvidenceReport } from '../event-log/evidence-report';
import type { ComparedReadModel } from './compare-read-models';

type Amounts = Readonly<Record<keyof AccountSums, string>>;

/** The totals of one environment. Sandbox amounts are not real money. */
export interface EnvironmentReport extends Amounts {
  readonly environment: string;
  readonly accounts: number;
  readonly operations: Readonly<Record<OperationStatus, number>>;
}

export type ReadModelState = 'agrees' | 'differs' | 'behind' | 'rebuilt';

/** The result of `florin audit --json`. */
export interface AuditReport {
  readonly account?: string;
  readonly events: number;
  readonly streams: number;
  readonly head: string;
  readonly environments: readonly EnvironmentReport[];
  readonly readModels: readonly { readonly name: string; readonly state: ReadModelState }[];
  /** Not errors: read models that are behind, and work in progress. */
  readonly notes: readonly Finding[];
  readonly flaws: readonly Finding[];
  readonly evidence: EvidenceReport;
  /** The position of the result that the audit continued from; null if it has read the whole log. */
  readonly since: string | null;
}

/** What was derived from the log, compared with it. */
export interface ComparedCopies {
  readonly readModels: readonly ComparedReadModel[];
  readonly snapshotFlaws: readonly Finding[];
  /** Found by the runs that this one continues. */
  readonly carried: readonly Finding[];
}

export function auditReport(
  audit: LogAudit,
  { readModels, snapshotFlaws, carried }: ComparedCopies,
  account: string | undefined,
  evidence: EvidenceReport,
  since: string | null,
): AuditReport {
  return {
    ...(account !== undefined && { account }),
    events: audit.events,
    streams: audit.streams,
    head: String(audit.head),
    environments: environmentsOf(audit),
    readModels: readModels.map((readModel) => ({ name: readModel.name, state: stateOf(readModel) })),
    notes: [...readModels.flatMap(behind), ...audit.inProgress],
    flaws: [
      ...evidence.findings,
      ...audit.flaws,
      ...snapshotFlaws,
      ...readModels.flatMap(({ flaws }) => flaws),
      ...carried,
    ],
    evidence,
    since,
  };
}

function stateOf({ isRebuilt, flaws, behindAt }: ComparedReadModel): ReadModelState {
  if (isRebuilt) return 'rebuilt';
  if (flaws.length > 0) return 'differs';
  return behindAt === undefined ? 'agrees' : 'behind';
}

function behind({ name, isRebuilt, behindAt }: ComparedReadModel): readonly Finding[] {
  if (isRebuilt) return [{ at: name, text: 'was rebuilt during the audit, and was not compared. Audit again.' }];
  if (behindAt === undefined) return [];
  const text = `is behind, at position ${behindAt}, and was compared up to there. Start Florin, wait until it has caught up, and audit again.`;
  return [{ at: name, text }];
}

interface Sums {
  accounts: number;
  readonly money: Record<keyof AccountSums, Money>;
  readonly operations: Record<OperationStatus, number>;
}

function environmentsOf({ ledger }: LogAudit): readonly EnvironmentReport[] {
  const byName = new Map<string, Sums>();
  const sumsOf = (stream: string): Sums => {
    const name = /-(sandbox|live)$/.exec(stream)?.[1] ?? 'unknown';
    const sums = byName.get(name) ?? emptySums();
    byName.set(name, sums);
    return sums;
  };
  for (const { stream, sums: own } of ledger.accounts.values()) {
    const sums = sumsOf(stream);
    sums.accounts += 1;
    for (const field of moneyFields) sums.money[field] += own[field];
  }
  for (const [, { payer, account, isOrdered, status }] of ledger.operations) {
    const stream = payer ?? account;
    if (isOrdered && stream !== undefined) sumsOf(stream).operations[status] += 1;
  }
  return [...byName].sort().map(([environment, { accounts, money, operations }]) => {
    const amounts = Object.fromEntries(moneyFields.map((field) => [field, formatMoney(money[field])])) as Amounts;
    return { environment, accounts, ...amounts, operations };
  });
}

const moneyFields = [
  'deposited',
  'adjusted',
  'fees',
  'captured',
  'refunded',
  'held',
  'available',
] as const satisfies (keyof AccountSums)[];

function emptySums(): Sums {
  const money = { deposited: 0n, adjusted: 0n, fees: 0n, captured: 0n, refunded: 0n, held: 0n, available: 0n };
  const operations = Object.fromEntries(operationStatuses.map((status) => [status, 0])) as Sums['operations'];
  return { accounts: 0, money, operations };
}
