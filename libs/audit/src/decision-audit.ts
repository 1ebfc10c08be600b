import { formatMoney, type Money } from '@florin/kernel';
import { type ApprovalAudit, ApprovalsAudit } from './approval-audit';
import { actorIn, type AuditedEvent, causeOf, fieldOf, type Flaw, moneyIn, textIn } from './audited-event';
import { decidingRoles, OperatorsAudit } from './operators-audit';

/** The four-eyes amount of the auditor, unless it is configured. */
export const defaultFourEyesAmount = '1000.00';

/** A decision that only operators make, as recorded in an event. */
export interface AuditedDecision {
  readonly event: AuditedEvent;
  readonly flaw: Flaw;
  /** What it does, such as `credits 10.00`. */
  readonly subject: string;
  /** The amount that it moves; zero if it moves nothing. Called after the last event. */
  readonly amount: () => Money;
  readonly approvalId: string | undefined;
  /** The kind and id of what was approved. */
  readonly approvedAs: readonly (readonly [kind: string, id: string])[];
  /** What differs between the decision and an approval; undefined if nothing does. */
  readonly differenceTo: (approval: ApprovalAudit) => string | undefined;
  /** The earlier decision that it completes, in another stream. Called after the last event. */
  readonly completes?: () => AuditedEvent | undefined;
}

/** The decision about a review, which moves no money if it is rejected. */
export function reviewDecision(
  event: AuditedEvent,
  flaw: Flaw,
  reviewed: string,
  amount: () => Money,
): Pick<AuditedDecision, 'event' | 'flaw' | 'subject' | 'amount' | 'approvalId'> {
  const outcome = textIn(event.data, 'outcome');
  const approvalId = fieldOf(event.data, 'approvalId');
  return {
    ...{ event, flaw, subject: `resolves ${reviewed} as ${outcome}` },
    amount: () => (outcome === 'completed' ? amount() : 0n),
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
  private readonly decisions: AuditedDecision[] = [];
  /** The first event of a release that records actors. */
  private firstActorAt: bigint | undefined;

  /** @param fourEyesAmount the amount from which the auditor expects two operators; zero expects one. */
  constructor(private readonly fourEyesAmount: Money) {}

  /** Call for every event of the log: only events before the first one with an actor may have none. */
  see(event: AuditedEvent): void {
    const isEarlier = this.firstActorAt === undefined || event.position < this.firstActorAt;
    if (isEarlier && event.metadata?.includes('"actor"') && causeOf(event) !== undefined) {
      this.firstActorAt = event.position;
    }
  }

  add(decision: AuditedDecision): void {
    this.decisions.push(decision);
  }

  /** Call once, after the last event. */
  close(): void {
    this.operators.close();
    for (const decision of this.decisions) this.explain(decision);
  }

  private explain(decision: AuditedDecision): void {
    const { event, subject, completes } = decision;
    const flaw: Flaw = (text) => decision.flaw(`${subject}, but ${text}`);
    const earlier = completes?.();
    if (this.isWithoutActors(event) || (earlier !== undefined && this.isWithoutActors(earlier))) return;
    const actor = causeOf(event);
    const objection = this.operators.objectionTo(decidingRoles, actor, event.position);
    if (objection !== undefined) return flaw(`was caused by ${objection}`);
    if (fieldOf(event.data, 'proposedBy') === undefined) return flaw('names no operators who decided it');
    const proposedBy = actorIn(event.data, 'proposedBy');
    if (fieldOf(event.data, 'confirmedBy') !== undefined) {
      return this.explainApproval(decision, proposedBy, actorIn(event.data, 'confirmedBy'), flaw);
    }
    const recorded = moneyIn(event.data, 'fourEyesAmount');
    const exceeded = [recorded, this.fourEyesAmount].find((limit) => limit > 0n && decision.amount() >= limit);
    if (exceeded !== undefined) {
      flaw(`only ${proposedBy} decided it; from ${formatMoney(exceeded)} it takes two operators`);
    }
    if (proposedBy !== actor) flaw(`names ${proposedBy} and was caused by ${actor}`);
  }

  private explainApproval(decision: AuditedDecision, proposedBy: string, confirmedBy: string, flaw: Flaw): void {
    const { event, approvalId, approvedAs, differenceTo } = decision;
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
