import { approvalAggregate, approvalEventVersions } from '@florin/companies-domain';
import { eventCodec, type Projection } from '@florin/event-sourcing';
import type { PoolClient } from 'pg';
import { applyApprovalEvent, type ApprovalRows, saveApprovals } from './approval-rows';

const codec = eventCodec(approvalEventVersions);

/** Decisions that take two operators. */
export const approvalsProjection: Projection<PoolClient> = {
  name: 'approvals',
  categories: [approvalAggregate.category],
  project: async (events, tx) => {
    const rows: ApprovalRows = new Map();
    for (const recorded of events) {
      const { event, metadata } = codec.decode(recorded);
      applyApprovalEvent(rows, event, recorded.revision, metadata.recordedAt);
    }
    await saveApprovals(rows.values(), tx);
  },
};
