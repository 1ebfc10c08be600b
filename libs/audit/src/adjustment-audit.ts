import { formatMoney } from '@florin/kernel';
import { type ApprovalAudit, approvalStream } from './approval-audit';
import { type AuditedEvent, fieldOf, type Finding, type Flaw, locationOf, moneyIn, textIn } from './audited-event';
import type { AuditedDecision, DecisionsAudit } from './decision-audit';

/** Traces every adjustment to the decision of its operators. */
export class AdjustmentsAudit {
  private readonly executed = new Set<string>();

  constructor(private readonly decisions: DecisionsAudit) {}

  add(event: AuditedEvent, flaw: Flaw): void {
    const { data } = event;
    const id = textIn(data, 'adjustmentId');
    if (this.executed.has(id)) return flaw(`executes adjustment ${id} a second time`);
    this.executed.add(id);
    for (const field of ['amount', 'direction']) textIn(data, field);
    // Never of an early release.
    textIn(fieldOf(data, 'proposedBy'), 'id');
    this.decisions.add({ about: 'adjustment', event });
  }

  describe({ stream, data }: AuditedEvent): AuditedDecision {
    const id = textIn(data, 'adjustmentId');
    const amount = moneyIn(data, 'amount');
    const direction = textIn(data, 'direction');
    const differenceTo = ({ decision }: ApprovalAudit): string | undefined => {
      const isSame =
        accountIn(decision) === stream &&
        fieldOf(decision, 'direction') === direction &&
        fieldOf(decision, 'amount') === formatMoney(amount);
      return isSame ? undefined : `the approved adjustment ${id} has another account, direction or amount`;
    };
    const subject = `${direction}s ${formatMoney(amount)}`;
    return { subject, amount, approvalId: id, approvedAs: [['adjustment', id]], differenceTo };
  }

  /** Call after the last event. `only` is the only account that was audited. */
  close(only: string | undefined, inProgress: (finding: Finding) => void): void {
    for (const [id, { decision, revision }] of this.decisions.approvals.confirmedAdjustments()) {
      const isAudited = only === undefined || accountIn(decision) === only;
      if (this.executed.has(id) || !isAudited) continue;
      const at = locationOf({ stream: approvalStream(id), revision });
      inProgress({ at, text: `adjustment ${id} is confirmed and not executed yet` });
    }
  }
}

/** The stream of the account in the decision. */
function accountIn(decision: unknown): string {
  return `account-${String(fieldOf(decision, 'accountId'))}`;
}
