import { actorIn, type AuditedEvent, causeOf, fieldOf, type Flaw, moneyIn, textIn } from './audited-event';
import { decidingRoles, type OperatorsAudit } from './operators-audit';

/** The newest proposal about a subject, and who has confirmed it. */
export interface ApprovalAudit {
  readonly kind: string;
  readonly subjectId: string;
  readonly decision: unknown;
  readonly proposedBy: string;
  confirmedBy: string | undefined;
  /** Position of the confirmation. */
  confirmedAt: bigint | undefined;
  /** An execution that had begun before can still succeed. */
  isWithdrawn: boolean;
  /** Revision of its newest event. */
  revision: number;
}

/** The decisions that take two operators. Everyone must have decided in the own name. */
export class ApprovalsAudit {
  /** By stream. A confirmed proposal that was replaced is kept, because it may have been executed before. */
  private readonly approvals = new Map<string, ApprovalAudit[]>();

  constructor(private readonly operators: OperatorsAudit) {}

  add(event: AuditedEvent, flaw: Flaw): void {
    const { stream, revision, position, type, data } = event;
    const known = this.approvals.get(stream) ?? [];
    this.approvals.set(stream, known);
    if (type === 'DecisionProposed') {
      const proposedBy = this.decidedBy('proposedBy', event, flaw);
      const subject = fieldOf(data, 'subject');
      moneyIn(data, 'amount');
      if (known.at(-1)?.confirmedBy === undefined) known.pop();
      known.push({
        ...{ kind: textIn(subject, 'kind'), subjectId: textIn(subject, 'id'), decision: fieldOf(data, 'decision') },
        ...{ proposedBy, confirmedBy: undefined, confirmedAt: undefined, isWithdrawn: false, revision },
      });
      return;
    }
    const proposal = known.at(-1);
    if (proposal === undefined || proposal.isWithdrawn) throw new Error('nothing was proposed before');
    proposal.revision = revision;
    switch (type) {
      case 'DecisionConfirmed':
        proposal.confirmedBy = this.decidedBy('confirmedBy', event, flaw);
        proposal.confirmedAt = position;
        if (proposal.confirmedBy === proposal.proposedBy) flaw(`is by ${proposal.proposedBy}, who has proposed it`);
        return;
      case 'DecisionRepeated':
        this.decidedBy('repeatedBy', event, flaw);
        if (proposal.confirmedBy === undefined) flaw('precedes the confirmation');
        return;
      case 'ProposalWithdrawn':
        this.decidedBy('withdrawnBy', event, flaw);
        proposal.isWithdrawn = true;
        if (proposal.confirmedBy === undefined) known.pop();
        return;
      default:
        throw new Error('this release does not know the event type');
    }
  }

  /** The confirmed proposals of an approval, oldest first, also withdrawn ones. */
  confirmed(id: string | undefined): readonly ApprovalAudit[] {
    const known = id === undefined ? undefined : this.approvals.get(approvalStream(id));
    return (known ?? []).filter(({ confirmedBy }) => confirmedBy !== undefined);
  }

  /** The ids of all confirmed adjustments that are not withdrawn. */
  *confirmedAdjustments(): Iterable<readonly [id: string, approval: ApprovalAudit]> {
    for (const [newest] of [...this.approvals.values()].map((known) => known.slice(-1))) {
      if (newest?.kind !== 'adjustment' || newest.confirmedBy === undefined || newest.isWithdrawn) continue;
      yield [newest.subjectId, newest];
    }
  }

  /** The operator in this field, who must also be the one who caused the event. */
  private decidedBy(field: string, event: AuditedEvent, flaw: Flaw): string {
    const operator = actorIn(event.data, field);
    const cause = causeOf(event);
    if (cause !== operator) flaw(`names ${operator}, but was caused by ${cause ?? 'an unknown actor'}`);
    this.operators.require(decidingRoles, operator, event);
    return operator;
  }
}

export function approvalStream(id: string): string {
  return `approval-${id}`;
}
