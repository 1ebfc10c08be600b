import { isSameActor, type OperatorActor } from './actor';
import type { Json } from './json';
import { type Money, type MoneyText, parseMoney } from './money';

/** Who decided about an amount, and the four-eyes amount that was in force. */
export interface OperatorDecision {
  /** Two operators decide from this amount on; `0.00` if one is always sufficient. */
  readonly fourEyesAmount: MoneyText;
  readonly proposedBy: OperatorActor;
  /** The second operator. */
  readonly confirmedBy?: OperatorActor;
  /** The approval by both. */
  readonly approvalId?: string;
}

/** Whether enough different operators have decided. Commands of early releases name none, so they are not decided. */
export function isDecided(amount: Money, decision: Partial<OperatorDecision>): boolean {
  const { fourEyesAmount, proposedBy, confirmedBy } = decision;
  if (fourEyesAmount === undefined || proposedBy === undefined) return false;
  if (confirmedBy !== undefined) return !isSameActor(proposedBy, confirmedBy);
  const limit = parseMoney(fourEyesAmount);
  return limit === 0n || amount < limit;
}

/** The upcaster of decisions whose previous version named no operators: they stay unknown. */
export function withoutOperators(data: Json): Json {
  return data;
}

/** Only the fields of the decision, for an event. */
export function decisionIn(data: Partial<OperatorDecision>): Partial<OperatorDecision> {
  const { fourEyesAmount, proposedBy, confirmedBy, approvalId } = data;
  return {
    ...(fourEyesAmount !== undefined && { fourEyesAmount }),
    ...(proposedBy !== undefined && { proposedBy }),
    ...(confirmedBy !== undefined && { confirmedBy }),
    ...(approvalId !== undefined && { approvalId }),
  };
}
