import { formatMoney, type Money } from '@florin/kernel';
import { type ApprovalAudit, ApprovalsAudit } from './approval-audit';
import { actorIn, type AuditedEvent, causeOf, fieldOf, type Flaw, type FlawAt, moneyIn, textIn } from './audited-event';
import { decidingRoles, OperatorsAudit } from './operators-audit';

/** The four-eyes amount of the auditor, unless it is configured. */
export const defaultFourEyesAmount = '1000.00';

/** The event of a decision that only operators make. Plain data, so that a later audit can continue from it. */
export interface DecisionEvent {
  readonly about: 'operation' | 'deposit' | 'invoice' | 'adjustment';
  readonly event: AuditedEvent;
  /** The deposit that paid the invoice at the time of the decision. */
  readonly depositId?: string;
}

/** A decision that only operators make. */
export interface AuditedDecision {
  /** What it does, such as `credits 10.00`. */
  readonly subject: string;
  /** The amount that it moves; zero if it moves nothing. */
  readonly amount: Money;
  readonly approvalId: string | undefined;
  /** The kind and id of what was approved. */
  readonly approvedAs: readonly (readonly [kind: string, id: string])[];
  /** What differs between the decision and an approval; undefined if nothing does. */
  readonly differenceTo: (approval: ApprovalAudit) => string | undefined;
  /** The earlier decision that it completes, in another stream. */
  readonly completes?: AuditedEvent;
}

/** The decision about a review, which moves no money if it is rejected. */
export function reviewDecision(
  { data }: AuditedEvent,
  reviewed: string,
  amount: Money,
): Pick<AuditedDecision, 'subject' | 'amount' | 'approvalId'> {
  const outcome = textIn(data, 'outcome');
  const approvalId = fieldOf(data, 'approvalId');
  return {
    subject: `resolves ${reviewed} as ${outcome}`,
    amount: outcome === 'completed' ? amount : 0n,
    approvalId: typeof approvalId === 'string' ? approvalId : undefined,
  };
}

/** Compares the decision about a review with its approval: outcome, note and the expected other fields. */
export function differenceBetween(
  { data }: AuditedEvent,
  { decision }: ApprovalAudit,
  expected: Readonly<Record<string, unknown>> = {},
): string | undefined {
  const terms = { outcome: data['outcome'], note: data['note'], ...expected };
  const different = Object.entries(terms).find(([name, value]) => fieldOf(decision, name) !== value);
  return different === undefined ? undefined : `the approved decision has another ${different[0]}`;
}

/**
 * Traces decisions to operators who were allowed to make them, and from the four-eyes amount on to an approval by two
 * different operators. The recorded four-eyes amount is not sufficient: the auditor has an own one.
 */
export class DecisionsAudit {
  readonly operators = new OperatorsAudit();
  readonly approvals = new ApprovalsAudit(this.operators);
  private readonly decisions: DecisionEvent[] = [];
  /** The first event of a release that records actors. */
  private firstActorAt: bigint | undefined;

  /** Call for every event of the log: only events before the first one with an actor may have none. */
  see(event: AuditedEvent): void {
    const isEarlier = this.firstActorAt === undefined || event.position < this.firstActorAt;
    if (isEarlier && event.metadata?.includes('"actor"') && causeOf(event) !== undefined) {
      this.firstActorAt = event.position;
    }
  }

  add(decision: DecisionEvent): void {
    this.decisions.push(decision);
  }

  /**
   * Call after the last event. `describe` completes a decision with what is known about its subject; `fourEyesAmount` is the
   * one of the auditor.
   */
  close(fourEyesAmount: Money, describe: (decision: DecisionEvent) => AuditedDecision, flawAt: FlawAt): void {
    this.operators.close(flawAt);
    for (const decision of this.decisions) {
      const described = describe(decision);
      const flaw: Flaw = (text) => flawAt(decision.event, `${described.subject}, but ${text}`);
      this.explain(decision.event, described, fourEyesAmount, flaw);
    }
  }

  private explain(event: AuditedEvent, decision: AuditedDecision, fourEyesAmount: Money, flaw: Flaw): void {
    const { completes } = decision;
    if (this.isWithoutActors(event) || (completes !== undefined && this.isWithoutActors(completes))) return;
    const actor = causeOf(event);
    const objection = this.operators.objectionTo(decidingRoles, actor, event.position);
    if (objection !== undefined) return flaw(`was caused by ${objection}`);
    if (fieldOf(event.data, 'proposedBy') === undefined) return flaw('names no operators who decided it');
    const proposedBy = actorIn(event.data, 'proposedBy');
    if (fieldOf(event.data, 'confirmedBy') !== undefined) {
      const confirmedBy = actorIn(event.data, 'confirmedBy');
      return this.explainApproval(event, decision, { proposedBy, confirmedBy }, flaw);
    }
    const recorded = moneyIn(event.data, 'fourEyesAmount');
    const exceeded = [recorded, fourEyesAmount].find((limit) => limit > 0n && decision.amount >= limit);
    if (exceeded !== undefined) {
      flaw(`only ${proposedBy} decided it; from ${formatMoney(exceeded)} it takes two operators`);
    }
    if (proposedBy !== actor) flaw(`names ${proposedBy} and was caused by ${actor}`);
  }

  private explainApproval(
    event: AuditedEvent,
    { approvalId, approvedAs, differenceTo }: AuditedDecision,
    { proposedBy, confirmedBy }: Readonly<Record<'proposedBy' | 'confirmedBy', string>>,
    flaw: Flaw,
  ): void {
    const confirmed = this.approvals
      .confirmed(approvalId)
      .filter(({ kind, subjectId }) => approvedAs.some((each) => each[0] === kind && each[1] === subjectId));
    const approval = confirmed.find((each) => differenceTo(each) === undefined) ?? confirmed.at(-1);
    if (approval?.confirmedAt === undefined) return flaw(`no operators have approved it (approval "${approvalId}")`);
    if (approval.proposedBy !== proposedBy || approval.confirmedBy !== confirmedBy) {
      const others = `${approval.proposedBy} and ${approval.confirmedBy}`;
      flaw(`${others} have approved it instead of ${proposedBy} and ${confirmedBy}`);
    }
    const difference = differenceTo(approval);
    if (difference !== undefined) flaw(difference);
    if (approval.confirmedAt >= event.position) flaw('it was executed before the confirmation');
  }

  /** Whether the event is of an early release, which recorded no actors. */
  private isWithoutActors(event: AuditedEvent): boolean {
    const isEarly = this.firstActorAt === undefined || event.position < this.firstActorAt;
    return isEarly && causeOf(event) === undefined && fieldOf(event.data, 'proposedBy') === undefined;
  }
}
