import type { ApprovalStatus } from '@florin/companies-domain';
import type { Prisma } from '@florin/database';
import { formatMoney, isUuid, type OperatorActor } from '@florin/kernel';
import type { AdjustmentDirection } from '@florin/ledger-domain';
import { Injectable } from '@nestjs/common';
import { approvalsProjection } from '../approvals/approvals.projection';
import { type ApprovalView, approvalView, operator } from '../approvals/approvals.queries';
import { newestFirst, type Page } from '../keyset-page';
import { operators } from '../read-database';
import { ReadModelQueries } from '../read-model-queries';
import { adjustmentsProjection } from './adjustments.projection';

/** What operators decide about. The decision of an approval has the same fields. */
export interface AdjustmentTerms {
  readonly companyId: string;
  readonly environment: 'sandbox' | 'live';
  readonly accountId: string;
  readonly direction: AdjustmentDirection;
  readonly amount: string;
  readonly reason: string;
}

export interface AdjustmentView extends Omit<AdjustmentTerms, 'accountId'> {
  readonly id: string;
  /** `confirmed`: approved by two operators and not executed yet. */
  readonly status: ApprovalStatus | 'completed';
  /** The operator, if one was sufficient; otherwise the two operators. */
  readonly createdBy?: OperatorActor;
  readonly proposedBy?: OperatorActor;
  readonly confirmedBy?: OperatorActor;
  readonly createdAt: string;
  readonly completedAt?: string;
}

/** For operators: executed adjustments, and those that wait for a second operator. */
@Injectable()
export class AdjustmentQueries extends ReadModelQueries {
  async find(id: string): Promise<AdjustmentView | undefined> {
    if (!isUuid(id)) return undefined;
    await this.waitUntilCaughtUp(adjustmentsProjection, approvalsProjection);
    const executed = await this.read(operators, ({ prisma }) => prisma.adjustment.findUnique({ where: { id } }));
    if (executed !== null) return executedView(executed);
    const where = { id, subjectKind: 'adjustment' };
    const approval = await this.read(operators, ({ prisma }) => prisma.approval.findUnique({ where }));
    return approval === null ? undefined : proposedView(approvalView(approval));
  }

  /** Newest first. Reads a full page of both kinds and merges them; an executed proposal is in both. */
  async list(companyId: string, page: Page): Promise<readonly AdjustmentView[]> {
    await this.waitUntilCaughtUp(adjustmentsProjection, approvalsProjection);
    const { where, ...sorted } = newestFirst('createdAt', page);
    const ofCompany = { where: { companyId, ...where }, ...sorted };
    const executed = await this.read(operators, ({ prisma }) => prisma.adjustment.findMany(ofCompany));
    const proposals = { where: { companyId, subjectKind: 'adjustment', ...where }, ...sorted };
    const proposed = await this.read(operators, ({ prisma }) => prisma.approval.findMany(proposals));
    const views = new Map<string, AdjustmentView>();
    for (const approval of proposed) views.set(approval.id, proposedView(approvalView(approval)));
    for (const adjustment of executed) views.set(adjustment.id, executedView(adjustment));
    return [...views.values()].sort((one, other) => (placeOf(one) < placeOf(other) ? 1 : -1)).slice(0, page.limit);
  }
}

function placeOf({ createdAt, id }: AdjustmentView): string {
  return `${createdAt} ${id}`;
}

function executedView(adjustment: Prisma.AdjustmentGetPayload<object>): AdjustmentView {
  const { id, companyId, amount, reason, confirmedBy } = adjustment;
  const proposedBy = operator(adjustment.proposedBy);
  return {
    ...{ id, companyId, environment: adjustment.environment as AdjustmentTerms['environment'] },
    ...{ direction: adjustment.direction as AdjustmentDirection, amount: formatMoney(amount), reason },
    status: 'completed',
    ...(confirmedBy === null ? { createdBy: proposedBy } : { proposedBy, confirmedBy: operator(confirmedBy) }),
    createdAt: adjustment.createdAt.toISOString(),
    completedAt: adjustment.completedAt.toISOString(),
  };
}

function proposedView({ id, status, decision, proposedBy, confirmedBy, createdAt }: ApprovalView): AdjustmentView {
  const { accountId: _, ...terms } = decision as unknown as AdjustmentTerms;
  return { id, ...terms, status, proposedBy, ...(confirmedBy && { confirmedBy }), createdAt };
}
