import type { Command, DomainEvent, EventVersions, Json, MoneyText, OperatorActor } from '@florin/kernel';
import type { FourEyesCheck } from '../operator/operator-register';

/** What is decided: a manual review, or an adjustment of an account. */
export interface ApprovalSubject {
  readonly kind: 'review' | 'adjustment';
  readonly id: string;
  /** When the review began: an invoice or a deposit can be reviewed several times. */
  readonly since?: string;
}

/** A decision in all its details. Two requests are about the same decision only if these are equal. */
export type ProposedDecision = { readonly [field: string]: Json | undefined };

type Of<Data> = Data & {
  readonly approvalId: string;
  /** Each request is executed once: a late duplicate must not undo a newer one. */
  readonly requestId: string;
};

/** The first operator proposes a decision, and a different one confirms it by sending the same decision. */
export type ApproveDecision = Command<
  'ApproveDecision',
  Of<{
    readonly subject: ApprovalSubject;
    readonly decision: ProposedDecision;
    /** The amount because of which two operators decide. */
    readonly amount: MoneyText;
    readonly operator: OperatorActor;
    /** Not part of the message: the context adds it from the log. Without it, nothing is confirmed. */
    readonly fourEyes?: FourEyesCheck;
  }>
>;
export type WithdrawProposal = Command<
  'WithdrawProposal',
  Of<{
    readonly operator: OperatorActor;
    /** Why the confirmed decision was refused when it was executed. */
    readonly refusal?: string;
  }>
>;

export type ApprovalCommand = ApproveDecision | WithdrawProposal;

export const approvalCommandTypes = [
  'ApproveDecision',
  'WithdrawProposal',
] as const satisfies readonly ApprovalCommand['type'][];

/** Replaces an earlier proposal of a different decision. */
export type DecisionProposed = DomainEvent<
  'DecisionProposed',
  Of<{
    readonly subject: ApprovalSubject;
    readonly decision: ProposedDecision;
    readonly amount: MoneyText;
    readonly proposedBy: OperatorActor;
  }>
>;
/** The newest proposal may be executed. */
export type DecisionConfirmed = DomainEvent<'DecisionConfirmed', Of<{ readonly confirmedBy: OperatorActor }>>;
/** An operator sent a confirmed decision again. Recorded, because otherwise a late duplicate could replace a newer proposal. */
export type DecisionRepeated = DomainEvent<'DecisionRepeated', Of<{ readonly repeatedBy: OperatorActor }>>;
/** By an operator, or because the execution was refused. An execution that had begun can still succeed. */
export type ProposalWithdrawn = DomainEvent<
  'ProposalWithdrawn',
  Of<{ readonly withdrawnBy: OperatorActor; readonly refusal?: string }>
>;

export type ApprovalEvent = DecisionProposed | DecisionConfirmed | DecisionRepeated | ProposalWithdrawn;

export const approvalEventVersions: EventVersions<ApprovalEvent> = {
  DecisionProposed: [],
  DecisionConfirmed: [],
  DecisionRepeated: [],
  ProposalWithdrawn: [],
};

export type ApprovalRefusal =
  /** The operator who proposed a decision cannot confirm it, nor can one who may be the same person. */
  | 'not_four_eyes'
  /** An adjustment exists with different data. */
  | 'idempotency_conflict'
  | 'proposal_unknown'
  /** It was withdrawn. */
  | 'proposal_closed';

export const approvalStatuses = ['proposed', 'confirmed', 'withdrawn'] as const;
export type ApprovalStatus = (typeof approvalStatuses)[number];

/** What the sender of an accepted command gets back. */
export interface ApprovalAnswer {
  readonly status: ApprovalStatus;
  /** Whether two operators have approved exactly the decision of the command, so that it may be executed. */
  readonly approved: boolean;
  readonly proposedBy: OperatorActor;
  readonly confirmedBy?: OperatorActor;
}
