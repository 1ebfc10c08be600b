import type { IssuerResponse, Order, OperationStatus, OperationType, ResolveReview } from '@florin/operations-domain';
import type { Actor, Metadata, MoneyText } from '@florin/kernel';

export interface OperationFilter {
  readonly type?: OperationType;
  readonly status?: OperationStatus;
  readonly cardId?: string;
  readonly metadata?: Metadata;
  /** Both are inclusive. */
  readonly createdFrom?: string;
  readonly createdTo?: string;
}

/** A response that the issuer sent by callback, or too late. */
export interface LateAnswerView {
  readonly noteId: string;
  readonly answer: IssuerResponse;
  readonly matches: boolean;
  readonly notedAt: string;
}

/** Who decided. Absent for events of early releases. */
export interface ResolvedBy {
  readonly resolvedBy?: Actor;
}

/** An operation whose outcome an operator has to determine, or has determined. */
export interface OperationReviewView {
  readonly id: string;
  readonly kind: 'operation';
  readonly companyId: string;
  readonly environment: Order['environment'];
  readonly type: OperationType;
  readonly status: OperationStatus;
  readonly amount: MoneyText;
  readonly fee: MoneyText;
  readonly total: MoneyText;
  readonly productId: string;
  readonly holderId?: string;
  readonly cardId?: string;
  readonly recipient?: string;
  readonly reason: string;
  readonly since: string;
  /** Oldest first. */
  readonly lateAnswers: readonly LateAnswerView[];
  readonly createdAt: string;
  readonly resolution?: Pick<ResolveReview['data'], 'outcome' | 'note'> & ResolvedBy;
}
