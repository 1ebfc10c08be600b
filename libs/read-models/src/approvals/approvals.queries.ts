import type { ApprovalStatus, ApprovalSubject, ProposedDecision } from '@florin/companies-domain';
import type { Prisma } from '@florin/database';
import { formatMoney, type OperatorActor } from '@florin/kernel';
import { Injectable } from '@nestjs/common';
import { adjustmentsProjection } from '../adjustments/adjustments.projection';
import { depositsProjection } from '../deposits/deposits.projection';
import { invoicesProjection } from '../invoices/invoices.projection';
import { newestFirstSql, type Page, pageValues } from '../keyset-page';
import { operationsProjection } from '../operations/operations.projection';
import { operators } from '../read-database';
import { ReadModelQueries } from '../read-model-queries';
import { approvalsProjection } from './approvals.projection';

/** A proposed decision, and who has confirmed it. */
export interface ApprovalView {
  readonly id: string;
  readonly subject: Pick<ApprovalSubject, 'kind' | 'id'>;
  readonly status: ApprovalStatus;
  readonly amount: string;
  readonly decision: ProposedDecision;
  readonly proposedBy: OperatorActor;
  readonly confirmedBy?: OperatorActor;
  readonly confirmedAt?: string;
  readonly withdrawnBy?: OperatorActor;
  readonly withdrawnAt?: string;
  /** Why the execution was refused, if the proposal was withdrawn because of that. */
  readonly refusal?: string;
  /** When it was proposed. */
  readonly createdAt: string;
}

/**
 * A proposal ends with its subject: when the adjustment is executed, or the review is resolved by any decision. A review that
 * began again later is another subject.
 */
const isPending = `
  status <> 'withdrawn' AND (
    subject_kind = 'adjustment' AND NOT EXISTS (SELECT FROM read_models.adjustments WHERE id = subject_id)
    OR EXISTS (
      SELECT FROM read_models.operations AS operation
      WHERE operation.id = subject_id AND operation.status = 'manual_review'
        AND (operation.review->>'since')::timestamptz = since AND operation.review->>'resolution' IS NULL
    )
    OR EXISTS (
      SELECT FROM read_models.invoices AS invoice
      WHERE invoice.id = subject_id AND invoice.status = 'manual_review'
        AND (invoice.review->>'since')::timestamptz = since AND invoice.review->>'resolution' IS NULL
    )
    OR EXISTS (
      SELECT FROM read_models.deposits AS deposit
      WHERE deposit.id = subject_id AND deposit.status = 'unmatched' AND for_review AND judged_at = since
    )
  )`;

const pending = `
  SELECT id FROM read_models.approvals AS approval WHERE ${isPending}
  ${newestFirstSql('created_at', 1)}`;

const pendingWithId = `SELECT FROM read_models.approvals AS approval WHERE approval.id = $1 AND ${isPending}`;

const subjectProjections = [
  ...[approvalsProjection, adjustmentsProjection],
  ...[operationsProjection, invoicesProjection, depositsProjection],
];

/** For operators. */
@Injectable()
export class ApprovalQueries extends ReadModelQueries {
  /** The approvals with these ids, also those that have ended. */
  async findAll(ids: readonly string[]): Promise<ReadonlyMap<string, ApprovalView>> {
    await this.waitUntilCaughtUp(approvalsProjection);
    const where = { id: { in: [...ids] } };
    const approvals = await this.read(operators, ({ prisma }) => prisma.approval.findMany({ where }));
    return new Map(approvals.map((approval) => [approval.id, approvalView(approval)]));
  }

  async find(id: string): Promise<ApprovalView | undefined> {
    return (await this.findAll([id])).get(id);
  }

  /** Whether the proposal waits for a confirmation or for its execution. */
  async isPending(id: string): Promise<boolean> {
    await this.waitUntilCaughtUp(...subjectProjections);
    const { rowCount } = await this.read(operators, ({ pool }) => pool.query(pendingWithId, [id]));
    return rowCount === 1;
  }

  /** The proposals that wait for a confirmation or for their execution, newest first. */
  async listPending(page: Page): Promise<readonly ApprovalView[]> {
    await this.waitUntilCaughtUp(...subjectProjections);
    const values = [...pageValues(page)];
    const { rows } = await this.read(operators, ({ pool }) => pool.query<{ id: string }>(pending, values));
    const views = await this.findAll(rows.map(({ id }) => id));
    return rows.flatMap(({ id }) => views.get(id) ?? []);
  }
}

export function approvalView(approval: Prisma.ApprovalGetPayload<object>): ApprovalView {
  const { id, subjectKind, subjectId, amount, decision, status, createdAt } = approval;
  const { confirmedBy, confirmedAt, withdrawnBy, withdrawnAt, refusal } = approval;
  return {
    id,
    subject: { kind: subjectKind as ApprovalSubject['kind'], id: subjectId },
    status: status as ApprovalStatus,
    amount: formatMoney(BigInt(amount.toFixed())),
    decision: decision as ProposedDecision,
    proposedBy: operator(approval.proposedBy),
    ...(confirmedBy !== null && { confirmedBy: operator(confirmedBy) }),
    ...(confirmedAt !== null && { confirmedAt: confirmedAt.toISOString() }),
    ...(withdrawnBy !== null && { withdrawnBy: operator(withdrawnBy) }),
    ...(withdrawnAt !== null && { withdrawnAt: withdrawnAt.toISOString() }),
    ...(refusal !== null && { refusal }),
    createdAt: createdAt.toISOString(),
  };
}

/** Only operators approve, so the tables have just their ids. */
export function operator(id: string): OperatorActor {
  return { kind: 'operator', id };
}
