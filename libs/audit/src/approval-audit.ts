import { actorIn, type AuditedEvent, causeOf, fieldOf, moneyIn, textIn } from './audited-event';

/** The newest proposal about a subject, and who has confirmed it. */
export interface ApprovalAudit {
  readonly kind: string;
  readonly subjectId: string;
  readonly decision: unknown;
  readonly proposedBy: string;
  confirmedBy: string | undefined;
  /** An execution that had begun before can still succeed. */
  isWithdrawn: boolean;
  /** Revision of its newest event. */
  revision: number;
}

type Flaw = (text: string) => void;

/** The decisions that take two operators. Everyone must have decided in the own name. */
export class ApprovalsAudit {
  /** By stream. A confirmed proposal that was replaced is kept, because it may have been executed before. */
  private readonly approvals = new Map<string, ApprovalAudit[]>();

  add(event: AuditedEvent, flaw: Flaw): void {
    const { stream, revision, type, data } = event;
    const known = this.approvals.get(stream) ?? [];
    this.approvals.set(stream, known);
    if (type === 'DecisionProposed') {
      const proposedBy = decidedBy('proposedBy', event, flaw);
      const subject = fieldOf(data, 'subject');
      moneyIn(data, 'amount');
      if (known.at(-1)?.confirmedBy === undefined) known.pop();
      known.push({
        ...{ kind: textIn(subject, 'kind'), subjectId: textIn(subject, 'id'), decision: fieldOf(data, 'decision') },
        ...{ proposedBy, confirmedBy: undefined, isWithdrawn: false, revision },
      });
      return;
    }
    const proposal = known.at(-1);
    if (proposal === undefined || proposal.isWithdrawn) throw new Error('nothing was proposed before');
    proposal.revision = revision;
    switch (type) {
      case 'DecisionConfirmed':
        proposal.confirmedBy = decidedBy('confirmedBy', event, flaw);
        if (proposal.confirmedBy === proposal.proposedBy) flaw(`is by ${proposal.proposedBy}, who has proposed it`);
        return;
      case 'DecisionRepeated':
        decidedBy('repeatedBy', event, flaw);
        if (proposal.confirmedBy === undefined) flaw('precedes the confirmation');
        return;
      case 'ProposalWithdrawn':
        decidedBy('withdrawnBy', event, flaw);
        proposal.isWithdrawn = true;
        if (proposal.confirmedBy === undefined) known.pop();
        return;
      default:
        throw new Error('this release does not know the event type');
    }
  }

  /** The confirmed proposal of an adjustment, also a withdrawn one. */
  adjustment(id: string): ApprovalAudit | undefined {
    const [newest] = (this.approvals.get(approvalStream(id)) ?? []).slice(-1);
    return newest?.kind === 'adjustment' && newest.confirmedBy !== undefined ? newest : undefined;
  }

  /** The ids of all confirmed adjustments that are not withdrawn. */
  *confirmedAdjustments(): Iterable<readonly [id: string, approval: ApprovalAudit]> {
    for (const [newest] of [...this.approvals.values()].map((known) => known.slice(-1))) {
      if (newest?.kind !== 'adjustment' || newest.confirmedBy === undefined || newest.isWithdrawn) continue;
      yield [newest.subjectId, newest];
    }
  }
}

export function approvalStream(id: string): string {
  return `approval-${id}`;
}

/** The operator in this field, who must also be the one who caused the event. */
function decidedBy(field: string, event: AuditedEvent, flaw: Flaw): string {
  const operator = actorIn(event.data, field);
  const cause = causeOf(event);
  if (cause !== operator) flaw(`names ${operator}, but was caused by ${cause ?? 'an unknown actor'}`);
  if (!operator.startsWith('operator ')) flaw(`is a decision of ${operator}, who is not an operator`);
  return operator;
}
