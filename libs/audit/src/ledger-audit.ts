import { categoryOf } from '@florin/event-sourcing';
import { type MoneyText, parseMoney } from '@florin/kernel';
import { AccountAudit } from './account-audit';
import { AdjustmentsAudit } from './adjustment-audit';
import { AuditedOperations } from './audited-operations';
import { type AuditedEvent, fieldOf, type Finding, type Flaw, locationOf, moneyIn, textIn } from './audited-event';
import { CardsAudit } from './card-audit';
import {
  type AuditedDecision,
  type DecisionEvent,
  DecisionsAudit,
  defaultFourEyesAmount,
  differenceBetween,
  reviewDecision,
} from './decision-audit';
import { accountOf, FundingAudit } from './funding-audit';
import { changeReservation, compareWithReservation, type OperationAudit, operationLocation } from './operation-audit';
import { restoreInto } from './restore';
import { changeOf, decisionBefore } from './operation-status';

/** The stream categories that the audit reads. */
export const auditedCategories: ReadonlySet<string> = new Set([
  'account',
  'operation',
  'card',
  'transaction',
  'invoices',
  'address',
  'chain',
  'approval',
  'operators',
]);

export interface LedgerFindings {
  readonly flaws: readonly Finding[];
  /** Correct while a process is still working on it, and a flaw once the system is idle. */
  readonly inProgress: readonly Finding[];
}

/**
 * Adds up every account, operation and card from the events alone, and traces deposits and the decisions of operators to their
 * origin. Events of one stream must arrive in order; the order between streams does not matter.
 */
export class LedgerAudit {
  readonly accounts = new Map<string, AccountAudit>();
  readonly operations = new AuditedOperations();
  private readonly cards: CardsAudit;
  private readonly decisions = new DecisionsAudit();
  private readonly funding: FundingAudit;
  private readonly adjustments: AdjustmentsAudit;
  private readonly flaws: Finding[] = [];

  /** @param only the stream of the only account to audit; all accounts if absent. */
  constructor(private readonly only?: string) {
    this.cards = new CardsAudit(only);
    this.funding = new FundingAudit(this.decisions);
    this.adjustments = new AdjustmentsAudit(this.decisions);
  }

  /** From the fields of another one, which was stored. */
  static from({ operations, ...stored }: Pick<LedgerAudit, keyof LedgerAudit>): LedgerAudit {
    const ledger = Object.assign(restoreInto(new LedgerAudit(), stored), { operations });
    for (const [stream, account] of ledger.accounts) {
      ledger.accounts.set(stream, restoreInto(new AccountAudit(stream), account));
    }
    return ledger;
  }

  /** Returns whether the event belongs to the audit. */
  add(event: AuditedEvent): boolean {
    const flaw: Flaw = (text) => void this.flaws.push({ at: locationOf(event), text: `${event.type} ${text}` });
    try {
      this.decisions.see(event);
      switch (categoryOf(event.stream)) {
        case 'account':
          return this.addToAccount(event, flaw);
        case 'operation':
          return this.addToOperation(event, flaw);
        case 'card':
          return this.addToCard(event, flaw);
        case 'transaction':
          return this.cards.addToTransaction(event, flaw);
        case 'invoices':
          return this.addToInvoice(event, flaw);
        case 'address':
          return this.addToAddress(event);
        case 'chain':
          this.funding.deposits.addToChain(event, flaw);
          return this.isComplete;
        case 'approval':
          this.decisions.approvals.add(event, flaw);
          return this.isComplete;
        case 'operators':
          this.decisions.operators.add(event);
          return this.isComplete;
        default:
          return false;
      }
    } catch (error) {
      flaw(`cannot be audited: ${(error as Error).message}`);
      return true;
    }
  }

  /**
   * Call after the last event. It changes nothing, so that a later audit can continue.
   *
   * @param fourEyesAmount the amount from which the auditor expects two operators; zero expects one.
   */
  close(fourEyesAmount: MoneyText = defaultFourEyesAmount): LedgerFindings {
    const flaws = [...this.flaws];
    this.decisions.close(
      parseMoney(fourEyesAmount),
      (decision) => this.describe(decision),
      (event, text) => flaws.push({ at: locationOf(event), text: `${event.type} ${text}` }),
    );
    const inProgress: Finding[] = [];
    for (const account of this.accounts.values()) {
      account.close((text) => flaws.push({ at: locationOf(account), text }));
    }
    for (const [id, operation] of this.operations.open) {
      const isOnCard = operation.type === 'unload' || (operation.payer === undefined && this.cards.unloads.has(id));
      if (isOnCard && operation.reservation === 'none') continue;
      const at = operationLocation(id, operation);
      compareWithReservation(id, operation, {
        flaw: (text) => flaws.push({ at, text }),
        inProgress: (text) => inProgress.push({ at, text }),
      });
    }
    this.cards.close(this.operations, (at, text) => flaws.push({ at, text }));
    const report = {
      flaw: (finding: Finding) => flaws.push(finding),
      inProgress: (finding: Finding) => inProgress.push(finding),
    };
    this.cards.unloads.close(this.operations, report);
    this.funding.close(report);
    this.adjustments.close(this.only, report.inProgress);
    return { flaws, inProgress };
  }

  /** The audit of one account reads addresses, blocks, approvals and operators, but they belong to all accounts. */
  private get isComplete(): boolean {
    return this.only === undefined;
  }

  private addToAccount(event: AuditedEvent, flaw: Flaw): boolean {
    if (this.only !== undefined && event.stream !== this.only) return false;
    const account = this.accounts.get(event.stream) ?? new AccountAudit(event.stream);
    this.accounts.set(account.stream, account);
    const change = account.add(event, flaw);
    if (event.type === 'FundsDeposited') this.funding.addCredit(event);
    if (event.type === 'FundsRefunded') this.cards.unloads.addRefund(event);
    if (event.type === 'AccountAdjusted') this.adjustments.add(event, flaw);
    if (change !== undefined) changeReservation(this.operation(change.id), account.stream, change, flaw);
    return true;
  }

  private addToCard(event: AuditedEvent, flaw: Flaw): boolean {
    // The second load of an operation that has ended.
    const operationId = fieldOf(event.data, 'operationId');
    if (typeof operationId === 'string' && this.operations.hasEnded(operationId)) this.operation(operationId);
    if (!this.cards.addToCard(event, flaw)) return false;
    // The order is known, so the operation is listed from then on.
    if (event.type === 'UnloadReserved') this.operation(textIn(event.data, 'operationId')).isOrdered = true;
    return true;
  }

  private describe(decision: DecisionEvent): AuditedDecision {
    const { about, event } = decision;
    switch (about) {
      case 'adjustment':
        return this.adjustments.describe(event);
      case 'deposit':
        return this.funding.describeDepositDecision(event);
      case 'invoice':
        return this.funding.describeInvoiceDecision(decision);
      case 'operation':
        return this.describeReview(event);
    }
  }

  private describeReview(event: AuditedEvent): AuditedDecision {
    const id = operationIdOf(event);
    return {
      ...reviewDecision(event, 'the review', this.operations.get(id)!.total),
      approvedAs: [['review', id]],
      differenceTo: (approval) => differenceBetween(event, approval),
    };
  }

  private addToAddress(event: AuditedEvent): boolean {
    this.funding.deposits.addToAddress(event);
    const isAudited = this.isComplete || `account-${String(fieldOf(event.data, 'accountId'))}` === this.only;
    if (event.type === 'DepositResolved' && isAudited) this.funding.addDepositDecision(event);
    return this.isComplete;
  }

  private addToInvoice(event: AuditedEvent, flaw: Flaw): boolean {
    if (!this.isComplete && accountOf(event.stream) !== this.only) return false;
    this.funding.addToInvoice(event, flaw);
    return true;
  }

  private addToOperation(event: AuditedEvent, flaw: Flaw): boolean {
    const id = operationIdOf(event);
    const order = event.type === 'OperationQueued' ? fieldOf(event.data, 'order') : undefined;
    const payer = order === undefined ? undefined : `account-${textIn(order, 'accountId')}`;
    const isOther = this.only !== undefined && payer !== this.only && this.operations.get(id) === undefined;
    if (isOther) return false;
    const operation = this.operation(id);
    operation.revision = event.revision;
    if (payer !== undefined) {
      // Reuses the account's string, so that millions of operations share it.
      operation.payer = this.accounts.get(payer)?.stream ?? payer;
      operation.total = moneyIn(order, 'total');
      operation.type = textIn(order, 'type');
      operation.cardId = fieldOf(order, 'cardId') === undefined ? undefined : textIn(order, 'cardId');
      operation.cardAmount = moneyIn(order, 'amount');
      operation.isOrdered = true;
    }
    const change = changeOf(event);
    if (change === undefined) throw new Error('this release does not know the event type');
    const isFinal = operation.status === 'completed' || operation.status === 'failed';
    if (isFinal && change.status !== undefined) flaw(`follows although the operation was already ${operation.status}`);
    Object.assign(operation, change);
    const expected = decisionBefore[event.type];
    if (expected !== undefined && operation.decision !== expected)
      flaw(`follows although the operation was not ${expected}`);
    if (event.type === 'ReviewResolved') {
      textIn(event.data, 'outcome');
      this.decisions.add({ about: 'operation', event });
    }
    if (change.status === 'completed' || change.status === 'failed') this.end(id, operation);
    return true;
  }

  private operation(id: string): OperationAudit {
    return this.operations.toChange(id, (operation, revision) => this.cards.restoreLoad(id, operation, revision));
  }

  /** Its contribution is added up. If everything agrees, memory keeps only what a later event about it needs. */
  private end(id: string, operation: OperationAudit): void {
    const load = this.cards.agreedLoad(id, operation);
    if (load !== 'differs' && this.operations.end(id, load)) this.cards.forgetLoad(id);
  }
}

function operationIdOf({ stream }: AuditedEvent): string {
  return stream.slice('operation-'.length);
}
