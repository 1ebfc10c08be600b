import { AccountAudit } from './account-audit';
import { type AuditedEvent, fieldOf, moneyIn, placeOf, type Remark, textIn } from './audited-event';
import { compareWithHold, followHold, newOperation, type OperationAudit, placeOfOperation } from './holds';
import { changeBy } from './operation-status';

/** The categories of streams in which money moves, or is said why. */
export const auditedCategories: ReadonlySet<string> = new Set(['account', 'operation']);

export interface BooksVerdict {
  /** What must not be. */
  readonly flaws: readonly Remark[];
  /** What is right as long as somebody is about to go on with it, and wrong once everything has come to rest. */
  readonly underWay: readonly Remark[];
}

/**
 * Every account and every operation, added up from the events alone. Events of different streams may come in any order,
 * those of one stream in theirs.
 */
export class BooksAudit {
  readonly accounts = new Map<string, AccountAudit>();
  readonly operations = new Map<string, OperationAudit>();
  private readonly flaws: Remark[] = [];

  /** @param only the stream of the one account to look at; all of them when absent. */
  constructor(private readonly only?: string) {}

  /** True when the event is one of those that are looked at. */
  add(event: AuditedEvent): boolean {
    const flaw = (text: string): void => void this.flaws.push({ at: placeOf(event), text: `${event.type} ${text}` });
    try {
      if (event.stream.startsWith('account-')) return this.addToAccount(event, flaw);
      return event.stream.startsWith('operation-') && this.addToOperation(event, flaw);
    } catch (error) {
      flaw(`cannot be booked: ${(error as Error).message}`);
      return true;
    }
  }

  /** To be asked once, after the last event. */
  close(): BooksVerdict {
    const flaws = [...this.flaws];
    const underWay: Remark[] = [];
    for (const account of this.accounts.values()) {
      account.close((text) => flaws.push({ at: placeOf(account), text }));
    }
    for (const [id, operation] of this.operations) {
      const at = placeOfOperation(id, operation);
      compareWithHold(id, operation, {
        flaw: (text) => flaws.push({ at, text }),
        underWay: (text) => underWay.push({ at, text }),
      });
    }
    return { flaws, underWay };
  }

  private addToAccount(event: AuditedEvent, flaw: (text: string) => void): boolean {
    if (this.only !== undefined && event.stream !== this.only) return false;
    const account = this.accounts.get(event.stream) ?? new AccountAudit(event.stream);
    this.accounts.set(account.stream, account);
    const step = account.add(event, flaw);
    if (step !== undefined) followHold(this.operation(step.id), account.stream, step, flaw);
    return true;
  }

  private addToOperation(event: AuditedEvent, flaw: (text: string) => void): boolean {
    const id = event.stream.slice('operation-'.length);
    const order = event.type === 'OperationQueued' ? fieldOf(event.data, 'order') : undefined;
    const payer = order === undefined ? undefined : `account-${textIn(order, 'accountId')}`;
    const isOther = this.only !== undefined && payer !== this.only && !this.operations.has(id);
    if (isOther) return false;
    const operation = this.operation(id);
    operation.revision = event.revision;
    if (payer !== undefined) {
      // The account's own name, so that millions of operations do not each have a copy of it.
      operation.payer = this.accounts.get(payer)?.stream ?? payer;
      operation.total = moneyIn(order, 'total');
      operation.isOrdered = true;
    }
    const change = changeBy(event);
    if (change === undefined) throw new Error('this release does not know what it means');
    const hasEnded = operation.status === 'completed' || operation.status === 'failed';
    if (hasEnded && change.status !== undefined) flaw(`follows although the operation was ${operation.status} before`);
    Object.assign(operation, change);
    return true;
  }

  private operation(id: string): OperationAudit {
    const known = this.operations.get(id);
    if (known !== undefined) return known;
    const operation = newOperation();
    this.operations.set(id, operation);
    return operation;
  }
}
