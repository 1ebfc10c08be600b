import { eventCodec, type Projection, type RecordedEvent } from '@florin/event-sourcing';
import { parseMoney } from '@florin/kernel';
import { accountAggregate, type AccountAdjusted, accountEventVersions } from '@florin/ledger-domain';
import type { PoolClient } from 'pg';
import { accountOwnerOf } from '../account-entries/account-entries.projection';
import { type FoldedColumns, type FoldedRowOf, writerOfFoldedRows } from '../folded-rows';

const codec = eventCodec(accountEventVersions);

const columns = {
  id: ['uuid', 'settled'],
  companyId: ['uuid', 'settled'],
  environment: ['text', 'settled'],
  direction: ['text', 'settled'],
  amount: ['bigint', 'settled'],
  reason: ['text', 'settled'],
  proposedBy: ['text', 'settled'],
  confirmedBy: ['text', 'settled'],
  createdAt: ['timestamptz', 'settled'],
  completedAt: ['timestamptz', 'settled'],
} as const satisfies FoldedColumns;

type AdjustmentRow = FoldedRowOf<typeof columns>;
export type AdjustmentRows = Map<string, AdjustmentRow>;

const saveAdjustments = writerOfFoldedRows('read_models.adjustments', columns);

/** Executed adjustments. Those that wait for a second operator are approvals. */
export const adjustmentsProjection: Projection<PoolClient> = {
  name: 'adjustments',
  categories: [accountAggregate.category],
  eventTypes: ['AccountAdjusted'],
  knownEventTypes: Object.keys(accountEventVersions),
  project: async (events, tx) => {
    const rows: AdjustmentRows = new Map();
    for (const recorded of events) applyAdjustment(rows, recorded);
    await saveAdjustments(rows.values(), tx);
  },
};

export function applyAdjustment(rows: AdjustmentRows, recorded: RecordedEvent): void {
  const { event, metadata } = codec.decode(recorded);
  if (event.type !== 'AccountAdjusted') return;
  rows.set(event.data.adjustmentId, rowOf(event.data, recorded, metadata.recordedAt));
}

function rowOf(data: AccountAdjusted['data'], { stream, revision }: RecordedEvent, recordedAt: string): AdjustmentRow {
  const owner = accountOwnerOf(stream);
  if (owner === undefined) throw new Error(`${stream} is not the stream of an account`);
  return {
    ...{ id: data.adjustmentId, isWhole: true, revision, ...owner },
    ...{ direction: data.direction, amount: parseMoney(data.amount), reason: data.description },
    ...{ proposedBy: data.proposedBy.id, confirmedBy: data.confirmedBy?.id },
    ...{ createdAt: data.requestedAt, completedAt: recordedAt },
  };
}
