import { formatMoney, type Money } from '@florin/kernel';
import { ApprovalsAudit, approvalStream } from './approval-audit';
import {
  actorIn,
  type AuditedEvent,
  causeOf,
  fieldOf,
  type Finding,
  locationOf,
  moneyIn,
  textIn,
} from './audited-event';

interface Adjustment {
  readonly stream: string;
  readonly revision: number;
  readonly direction: string;
  readonly amount: Money;
  readonly proposedBy: string;
  readonly confirmedBy: string | undefined;
  /** Who caused the event. */
  readonly executedBy: string | undefined;
  readonly fourEyesAmount: Money;
}

type Flaw = (text: string) => void;

export interface AdjustmentReport {
  flaw(finding: Finding): void;
  inProgress(finding: Finding): void;
}

/**
 * Traces every adjustment to the decision of an operator, and from the four-eyes amount on to a proposal and a confirmation
 * by two different operators. The amount is the one that was in force at the time of the decision.
 */
export class AdjustmentsAudit {
  readonly approvals = new ApprovalsAudit();
  private readonly executed = new Map<string, Adjustment>();

  add(event: AuditedEvent, flaw: Flaw): void {
    const { stream, revision, data } = event;
    const id = textIn(data, 'adjustmentId');
    if (this.executed.has(id)) return flaw(`executes adjustment ${id} a second time`);
    const hasConfirmation = fieldOf(data, 'confirmedBy') !== undefined;
    this.executed.set(id, {
      ...{ stream, revision, direction: textIn(data, 'direction'), amount: moneyIn(data, 'amount') },
      ...{ proposedBy: actorIn(data, 'proposedBy'), executedBy: causeOf(event) },
      confirmedBy: hasConfirmation ? actorIn(data, 'confirmedBy') : undefined,
      fourEyesAmount: moneyIn(data, 'fourEyesAmount'),
    });
  }

  /** Call once, after the last event. `only` is the only account that was audited. */
  close(only: string | undefined, report: AdjustmentReport): void {
    for (const [id, adjustment] of this.executed) {
      const at = locationOf(adjustment);
      this.explain(id, adjustment, (text) => report.flaw({ at, text: `AccountAdjusted ${text}` }));
    }
    for (const [id, { decision, revision }] of this.approvals.confirmedAdjustments()) {
      const isAudited = only === undefined || `account-${String(fieldOf(decision, 'accountId'))}` === only;
      if (this.executed.has(id) || !isAudited) continue;
      const at = locationOf({ stream: approvalStream(id), revision });
      report.inProgress({ at, text: `adjustment ${id} is confirmed and not executed yet` });
    }
  }

  private explain(id: string, adjustment: Adjustment, flaw: Flaw): void {
    const { direction, amount, proposedBy, confirmedBy, executedBy, fourEyesAmount } = adjustment;
    const subject = `${direction}s ${formatMoney(amount)}`;
    if (!executedBy?.startsWith('operator ')) {
      return flaw(`${subject}, but was caused by ${executedBy ?? 'an unknown actor'} instead of an operator`);
    }
    if (confirmedBy !== undefined)
      return this.explainApproval(id, adjustment, (text) => flaw(`${subject}, but ${text}`));
    if (fourEyesAmount > 0n && amount >= fourEyesAmount) {
      flaw(`${subject}, but only ${proposedBy} decided it; from ${formatMoney(fourEyesAmount)} it takes two operators`);
    }
    if (proposedBy !== executedBy) flaw(`${subject}, but names ${proposedBy} and was caused by ${executedBy}`);
  }

  private explainApproval(id: string, { stream, direction, amount, ...by }: Adjustment, flaw: Flaw): void {
    const approval = this.approvals.adjustment(id);
    if (approval === undefined) return flaw(`no operators have approved adjustment ${id}`);
    const { decision, proposedBy, confirmedBy } = approval;
    if (proposedBy !== by.proposedBy || confirmedBy !== by.confirmedBy) {
      flaw(`${proposedBy} and ${confirmedBy} have approved it instead of ${by.proposedBy} and ${by.confirmedBy}`);
    }
    const isSame =
      `account-${String(fieldOf(decision, 'accountId'))}` === stream &&
      fieldOf(decision, 'direction') === direction &&
      fieldOf(decision, 'amount') === formatMoney(amount);
    if (!isSame) flaw(`the approved adjustment ${id} has another account, direction or amount`);
  }
}
