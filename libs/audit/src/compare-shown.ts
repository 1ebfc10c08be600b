import { formatMoney, type Money } from '@florin/kernel';
import type { AccountAudit } from './account-audit';
import { placeOf, type Remark } from './audited-event';
import { type OperationAudit, placeOfOperation } from './holds';

/** The statement of an account, up to the event that was looked at last. */
export interface ShownBalance {
  /** What its newest entry says. */
  readonly available: Money;
  readonly held: Money;
  /** What its entries add up to. */
  readonly availableSum: Money;
  readonly heldSum: Money;
}

export interface ShownOperation {
  readonly id: string;
  readonly status: string;
  /** That of the last event it shows. */
  readonly revision: number;
}

/** Compares a statement with the log. No entry at all is a balance of nothing. */
export function compareBalance(account: AccountAudit, shown: ShownBalance | undefined): readonly Remark[] {
  const { available, held, availableSum, heldSum } = shown ?? nothing;
  const remarks: Remark[] = [];
  const tell = (says: string, is: { readonly available: Money; readonly held: Money }): void => {
    remarks.push({ at: placeOf(account), text: `the statement ${says}, but by the log it is ${described(is)}` });
  };
  const { lastWritten, sums } = account;
  if (available !== lastWritten.available || held !== lastWritten.held) {
    tell(`shows ${described({ available, held })}`, lastWritten);
  }
  if (availableSum !== sums.available || heldSum !== sums.held) {
    tell(`adds up to ${described({ available: availableSum, held: heldSum })}`, sums);
  }
  return remarks;
}

const nothing: ShownBalance = { available: 0n, held: 0n, availableSum: 0n, heldSum: 0n };

function described({ available, held }: { readonly available: Money; readonly held: Money }): string {
  return `${formatMoney(available)} available and ${formatMoney(held)} held`;
}

/** Compares the list of operations with the log, row by row. */
export class OperationsComparison {
  readonly flaws: Remark[] = [];
  /** Rows that the log does not know, or did not when it was read. */
  readonly unknown: string[] = [];
  private readonly seen = new Set<string>();

  constructor(private readonly operations: ReadonlyMap<string, OperationAudit>) {}

  add({ id, status, revision }: ShownOperation): void {
    const operation = this.operations.get(id);
    if (operation === undefined || !operation.isOrdered) return void this.unknown.push(id);
    this.seen.add(id);
    // It shows what was written after the log was read.
    if (revision > operation.revision) return;
    const at = placeOfOperation(id, operation);
    if (revision < operation.revision) this.flaws.push({ at, text: `the list of operations shows only @${revision}` });
    else if (status !== operation.status) {
      this.flaws.push({ at, text: `the list of operations shows ${status}, but by the log it is ${operation.status}` });
    }
  }

  /** To be asked once, after the last row. */
  close(): readonly Remark[] {
    for (const [id, operation] of this.operations) {
      if (!operation.isOrdered || this.seen.has(id)) continue;
      const text = `the list of operations lacks ${id} (${operation.status})`;
      this.flaws.push({ at: placeOfOperation(id, operation), text });
    }
    return this.flaws;
  }
}
