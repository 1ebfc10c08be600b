import { IdSet } from '@florin/event-sourcing';
import { formatMoney, type Money } from '@florin/kernel';
import { type AccountAudit, type Balance, describeBalance } from './account-audit';
import { type Finding, locationOf } from './audited-event';
import type { AuditedOperations } from './audited-operations';
import { operationLocation } from './operation-audit';

/** The statement of an account, up to the last audited event. */
export interface StatementBalance extends Balance {
  /** The sums of its entries; `available` and `held` are from its newest entry. */
  readonly availableSum: Money;
  readonly heldSum: Money;
  /** The sum of the entries of kind `fee`, which is negative. */
  readonly feeSum: Money;
}

export interface ListedOperation {
  readonly id: string;
  readonly status: string;
  /** Revision of the last event that the row reflects. */
  readonly revision: number;
}

const emptyStatement: StatementBalance = { available: 0n, held: 0n, availableSum: 0n, heldSum: 0n, feeSum: 0n };

/** Compares a statement with the log. A statement without entries has a balance of zero. */
export function compareBalance(account: AccountAudit, statement = emptyStatement): readonly Finding[] {
  const { available, held, availableSum, heldSum, feeSum } = statement;
  const findings: Finding[] = [];
  const report = (verb: string, found: Balance, expected: Balance): void => {
    const text = `the statement ${verb} ${describeBalance(found)}, but the log has ${describeBalance(expected)}`;
    findings.push({ at: locationOf(account), text });
  };
  const { lastRecorded, sums } = account;
  if (available !== lastRecorded.available || held !== lastRecorded.held) report('shows', statement, lastRecorded);
  if (availableSum !== sums.available || heldSum !== sums.held) {
    report('adds up to', { available: availableSum, held: heldSum }, sums);
  }
  if (-feeSum !== sums.fees) {
    const text = `the statement has fees of ${formatMoney(-feeSum)}, but the log has ${formatMoney(sums.fees)}`;
    findings.push({ at: locationOf(account), text });
  }
  return findings;
}

/** Compares the list of operations with the log, row by row. */
export class OperationsComparison {
  readonly flaws: Finding[] = [];
  /** IDs of rows that reflect events of an operation which is not in the audited part of the log. */
  readonly unknown: string[] = [];
  private readonly seen = new IdSet();

  constructor(private readonly operations: AuditedOperations) {}

  add({ id, status, revision }: ListedOperation): void {
    const operation = this.operations.statusOf(id);
    if (operation === undefined || !operation.isOrdered) {
      // The row of a reservation may be newer than the audited log, and the operation has no stream yet.
      if (revision >= 0) this.unknown.push(id);
      return;
    }
    this.seen.add(id);
    // The row reflects an event that was written after the audit had read the log.
    if (revision > operation.revision) return;
    if (revision === operation.revision && status === operation.status) return;
    const at = operationLocation(id, this.operations.get(id)!);
    const isBehind = revision < operation.revision;
    const shown = `the list of operations shows ${status}, but the log has ${operation.status}`;
    this.flaws.push({ at, text: isBehind ? `the list of operations is behind, at @${revision}` : shown });
  }

  /** Call once, after the last row. */
  close(): readonly Finding[] {
    if (this.seen.size === this.operations.orderedCount) return this.flaws;
    for (const [id, operation] of this.operations) {
      if (!operation.isOrdered || this.seen.has(id)) continue;
      const text = `the list of operations lacks ${id} (${operation.status})`;
      this.flaws.push({ at: operationLocation(id, operation), text });
    }
    return this.flaws;
  }
}
