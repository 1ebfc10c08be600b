import type { ApprovalEvent, ApprovalStatus, DecisionProposed } from '@florin/companies-domain';
import { assertNever, parseMoney } from '@florin/kernel';
import { type FoldedColumns, type FoldedRowOf, rowToChange, writerOfFoldedRows } from '../folded-rows';

const columns = {
  id: ['uuid', 'settled'],
  subjectKind: ['text', 'settled'],
  subjectId: ['uuid', 'settled'],
  since: ['timestamptz', 'settled'],
  companyId: ['uuid', 'settled'],
  amount: ['numeric', 'replaced'],
  decision: ['jsonb', 'replaced'],
  status: ['text', 'replaced'],
  proposedBy: ['text', 'replaced'],
  confirmedBy: ['text', 'replaced'],
  confirmedAt: ['timestamptz', 'replaced'],
  withdrawnBy: ['text', 'replaced'],
  withdrawnAt: ['timestamptz', 'replaced'],
  refusal: ['text', 'replaced'],
  createdAt: ['timestamptz', 'replaced'],
} as const satisfies FoldedColumns;

type ApprovalRow = FoldedRowOf<typeof columns> & { status?: ApprovalStatus };
export type ApprovalRows = Map<string, ApprovalRow>;

export function applyApprovalEvent(
  rows: ApprovalRows,
  event: ApprovalEvent,
  revision: number,
  recordedAt: string,
): void {
  const proposed = event.type === 'DecisionProposed' ? proposedRow(event.data, recordedAt) : undefined;
  const row = rowToChange(rows, event.data.approvalId, revision, proposed);
  if (row !== undefined) change(row, event, recordedAt);
}

/** A proposal replaces the whole row, also an earlier confirmation. */
function proposedRow(data: DecisionProposed['data'], recordedAt: string): ApprovalRow {
  const { approvalId: id, subject, decision, proposedBy } = data;
  const { companyId } = decision;
  return {
    ...{ id, isWhole: true, revision: 0 },
    ...{ subjectKind: subject.kind, subjectId: subject.id, since: subject.since },
    companyId: typeof companyId === 'string' ? companyId : undefined,
    amount: parseMoney(data.amount),
    decision,
    proposedBy: proposedBy.id,
    createdAt: recordedAt,
  };
}

function change(row: ApprovalRow, { type, data }: ApprovalEvent, recordedAt: string): void {
  switch (type) {
    case 'DecisionProposed':
      row.status = 'proposed';
      return;
    case 'DecisionConfirmed':
      row.status = 'confirmed';
      row.confirmedBy = data.confirmedBy.id;
      row.confirmedAt = recordedAt;
      return;
    case 'DecisionRepeated':
      return;
    case 'ProposalWithdrawn':
      row.status = 'withdrawn';
      row.withdrawnBy = data.withdrawnBy.id;
      row.withdrawnAt = recordedAt;
      row.refusal = data.refusal;
      return;
    default:
      assertNever(type);
  }
}

export const saveApprovals = writerOfFoldedRows('read_models.approvals', columns);
