import type {
  IssuerAnswer,
  OperationFailure,
  OperationOrder,
  OperationResult,
  OperationStatus,
  OperationType,
  ResolveReview,
} from '@florin/operations-domain';
import type { MoneyText } from '@florin/kernel';

/** The operation as clients see it. */
export interface OperationView {
  readonly id: string;
  readonly type: OperationType;
  readonly status: OperationStatus;
  readonly amount: MoneyText;
  readonly fee: MoneyText;
  readonly total: MoneyText;
  /** Empty until the operation is completed. */
  readonly result: OperationResult;
  readonly failure?: OperationFailure;
  readonly createdAt: string;
}

export interface OperationFilter {
  readonly type?: OperationType;
  readonly status?: OperationStatus;
  readonly cardId?: string;
  /** Both instants belong to the range. */
  readonly createdFrom?: string;
  readonly createdTo?: string;
}

/** What the issuer told on its own account about an operation. */
export interface LateAnswerView {
  readonly noteId: string;
  readonly answer: IssuerAnswer;
  readonly matches: boolean;
  readonly notedAt: string;
}

/** An operation whose outcome an operator has to find out, or has found out. */
export interface OperationReviewView {
  readonly id: string;
  readonly kind: 'operation';
  readonly companyId: string;
  readonly environment: OperationOrder['environment'];
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
  /** The oldest first. */
  readonly lateAnswers: readonly LateAnswerView[];
  readonly createdAt: string;
  readonly resolution?: Pick<ResolveReview['data'], 'outcome' | 'note'>;
}
