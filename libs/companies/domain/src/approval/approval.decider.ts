import { type Aggregate, assert, assertNever, canonicalJson, type OperatorActor, refuse } from '@florin/kernel';
import {
  type ApprovalAnswer,
  type ApprovalCommand,
  type ApprovalEvent,
  approvalEventVersions,
  type ApprovalRefusal,
  type ApproveDecision,
  type DecisionProposed,
  type WithdrawProposal,
} from './approval.messages';

export interface Approval {
  proposal: DecisionProposed['data'];
  confirmedBy: OperatorActor | undefined;
  isWithdrawn: boolean;
  /** The ids of all accepted requests: a late repeat changes nothing. An id can be that of an `Idempotency-Key`. */
  readonly granted: Set<string>;
}

/** Undefined until a decision is proposed. */
export type ApprovalState = Approval | undefined;

/** Four eyes: a decision that one operator proposes and a different one confirms. */
export const approvalAggregate: Aggregate<
  ApprovalState,
  ApprovalCommand,
  ApprovalEvent,
  ApprovalRefusal,
  ApprovalAnswer
> = {
  category: 'approval',
  stateVersion: 1,
  versions: approvalEventVersions,

  initialState: () => undefined,

  decide: (command, approval) => {
    const { approvalId, operator, requestId } = command.data;
    assert(operator.kind === 'operator', () => `${command.type} by ${JSON.stringify(operator)}`);
    // An adjustment has the id of its request, so it never changes.
    if (command.type === 'ApproveDecision' && isOtherAdjustment(command, approval)) {
      const message = `Adjustment ${approvalId} was requested with other terms: send the same body, or use a new Idempotency-Key`;
      return refuse('idempotency_conflict', message);
    }
    if (approval?.granted.has(requestId)) return [];
    switch (command.type) {
      case 'ApproveDecision':
        return approve(command, approval);
      case 'WithdrawProposal':
        return withdraw(command, approval);
      default:
        return assertNever(command);
    }
  },

  evolve: (approval, { type, data }) => {
    if (type === 'DecisionProposed') {
      const granted = (approval?.granted ?? new Set()).add(data.requestId);
      return { proposal: data, confirmedBy: undefined, isWithdrawn: false, granted };
    }
    assert(approval !== undefined, `${type} precedes the proposal of ${data.approvalId}`);
    approval.granted.add(data.requestId);
    switch (type) {
      case 'DecisionConfirmed':
        approval.confirmedBy = data.confirmedBy;
        return approval;
      case 'DecisionRepeated':
        return approval;
      case 'ProposalWithdrawn':
        approval.isWithdrawn = true;
        return approval;
      default:
        return assertNever(type);
    }
  },

  answer: approvalAnswer,
};

type Decision = ReturnType<(typeof approvalAggregate)['decide']>;

function approve({ data }: ApproveDecision, approval: ApprovalState): Decision {
  const { approvalId, subject, decision, amount, operator, requestId, fourEyes } = data;
  const proposed: ApprovalEvent = {
    type: 'DecisionProposed',
    data: { approvalId, subject, decision, amount, proposedBy: operator, requestId },
  };
  if (approval === undefined) return [proposed];
  if (subject.kind === 'adjustment' && approval.isWithdrawn) {
    return refuse('proposal_closed', `Adjustment ${subject.id} was withdrawn: request a new one`);
  }
  if (approval.isWithdrawn || !isSame(decision, approval)) return [proposed];
  if (approval.confirmedBy !== undefined) {
    return [{ type: 'DecisionRepeated', data: { approvalId, repeatedBy: operator, requestId } }];
  }
  assert(fourEyes !== undefined, 'a confirmation is decided with the operators of the log');
  const objection = fourEyes.objection(approval.proposal.proposedBy, operator);
  if (objection !== undefined) return refuse('not_four_eyes', objection);
  return [{ type: 'DecisionConfirmed', data: { approvalId, confirmedBy: operator, requestId } }];
}

/** Also after the confirmation: otherwise any operator could execute a decision much later that was refused at first. */
function withdraw({ data }: WithdrawProposal, approval: ApprovalState): Decision {
  const { approvalId, operator, requestId, refusal } = data;
  if (approval === undefined) {
    return refuse('proposal_unknown', `There is no proposal ${approvalId}: check the id in the list of approvals`);
  }
  if (approval.isWithdrawn) {
    // Nothing is left to withdraw after a refused execution.
    if (refusal !== undefined) return [];
    return refuse('proposal_closed', `The proposal ${approvalId} was withdrawn already: nothing is left to do`);
  }
  const withdrawn = { approvalId, withdrawnBy: operator, requestId };
  return [{ type: 'ProposalWithdrawn', data: refusal === undefined ? withdrawn : { ...withdrawn, refusal } }];
}

function isOtherAdjustment({ data }: ApproveDecision, approval: ApprovalState): boolean {
  return data.subject.kind === 'adjustment' && approval !== undefined && !isSame(data.decision, approval);
}

function isSame(decision: ApproveDecision['data']['decision'], { proposal }: Approval): boolean {
  return canonicalJson(decision) === canonicalJson(proposal.decision);
}

/** A repeat may find a different proposal, which replaced its own: then it is not approved. */
export function approvalAnswer(approval: ApprovalState, command: ApprovalCommand): ApprovalAnswer {
  assert(approval !== undefined, 'an accepted command leaves a proposal');
  const { proposal, confirmedBy, isWithdrawn } = approval;
  const isConfirmed = confirmedBy !== undefined && !isWithdrawn;
  return {
    status: isWithdrawn ? 'withdrawn' : isConfirmed ? 'confirmed' : 'proposed',
    approved: isConfirmed && command.type === 'ApproveDecision' && isSame(command.data.decision, approval),
    proposedBy: proposal.proposedBy,
    ...(confirmedBy !== undefined && { confirmedBy }),
  };
}
