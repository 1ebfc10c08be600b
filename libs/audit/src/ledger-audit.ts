import { AccountAudit } from './account-audit';
import { type AuditedEvent, fieldOf, type Finding, locationOf, moneyIn, textIn } from './audited-event';
import {
  changeReservation,
  compareWithReservation,
  newOperation,
  type OperationAudit,
  operationLocation,
} from './operation-audit';
import { changeOf } from './operation-status';

/** The stream categories that the audit reads. */
export const auditedCategories: ReadonlySet<string> = new Set(['account', 'operation']);

export interface LedgerFindings {
  readonly flaws: readonly Finding[];
  /** Correct while a process is still working on it, and a flaw once the system is idle. */
  readonly inProgress: readonly Finding[];
}

/**
 * Adds up every account and operation from the events alone. Events of one stream must arrive in order; the order
 * between streams does not matter.
 */
export class LedgerAudit {
  readonly accounts = new Map<string, AccountAudit>();
  readonly operations = new Map<string, OperationAudit>();
  private readonly flaws: Finding[] = [];

  /** @param only the stream of the only account to audit; all accounts if absent. */
  constructor(private readonly only?: string) {}

  /** Returns whether the event belongs to the audit. */
  add(event: AuditedEvent): boolean {
    const flaw = (text: string): void => void this.flaws.push({ at: locationOf(event), text: `${event.type} ${text}` });
    try {
      if (event.stream.startsWith('account-')) return this.addToAccount(event, flaw);
      return event.stream.startsWith('operation-') && this.addToOperation(event, flaw);
    } catch (error) {
      flaw(`cannot be audited: ${(error as Error).message}`);
      return true;
    }
  }

  /** Call once, after the last event. */
  close(): LedgerFindings {
    const flaws = [...this.flaws];
    const inProgress: Finding[] = [];
    for (const account of this.accounts.values()) {
      account.close((text) => flaws.push({ at: locationOf(account), text }));
    }
    for (const [id, operation] of this.operations) {
      const at = operationLocation(id, operation);
      compareWithReservation(id, operation, {
        flaw: (text) => flaws.push({ at, text }),
        inProgress: (text) => inProgress.push({ at, text }),
      });
    }
    return { flaws, inProgress };
  }

  private addToAccount(event: AuditedEvent, flaw: (text: string) => void): boolean {
    if (this.only !== undefined && event.stream !== this.only) return false;
    const account = this.accounts.get(event.stream) ?? new AccountAudit(event.stream);
    this.accounts.set(account.stream, account);
    const change = account.add(event, flaw);
    if (change !== undefined) changeReservation(this.operation(change.id), account.stream, change, flaw);
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
      // Reuses the account's string, so that millions of operations share it.
      operation.payer = this.accounts.get(payer)?.stream ?? payer;
      operation.total = moneyIn(order, 'total');
      operation.isOrdered = true;
    }
    const change = changeOf(event);
    if (change === undefined) throw new Error('this release does not know the event type');
    const isFinal = operation.status === 'completed' || operation.status === 'failed';
    if (isFinal && change.status !== undefined) flaw(`follows although the operation was already ${operation.status}`);
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
