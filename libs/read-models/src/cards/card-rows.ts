import { assertNever, parseMoney } from '@florin/kernel';
import type { CardEvent, CardIssued, CardStatus, MoneyAfter } from '@florin/operations-domain';
import type { PoolClient } from 'pg';
import { type FoldedColumns, type FoldedRowOf, rowToChange, writerOfFoldedRows } from '../folded-rows';

const columns = {
  id: ['uuid', 'settled'],
  companyId: ['uuid', 'settled'],
  environment: ['text', 'settled'],
  holderId: ['uuid', 'settled'],
  productId: ['text', 'settled'],
  name: ['text', 'replaced'],
  last4: ['text', 'settled'],
  cardReference: ['text', 'settled'],
  createdAt: ['timestamptz', 'settled'],
  status: ['text', 'replaced'],
  balance: ['bigint', 'replaced'],
  available: ['bigint', 'replaced'],
  updatedAt: ['timestamptz', 'replaced'],
  limits: ['jsonb', 'replaced'],
  metadata: ['jsonb', 'replaced'],
} as const satisfies FoldedColumns;

type CardRow = FoldedRowOf<typeof columns> & {
  status?: CardStatus;
  /** The newest event with amounts has no balance, because it is from the first release. */
  isBalanceUnknown?: boolean;
};
export type CardRows = Map<string, CardRow>;

export function applyToCard(rows: CardRows, event: CardEvent, revision: number, recordedAt: string): void {
  const first = event.type === 'CardIssued' ? issuedRow(event.data) : undefined;
  const row = rowToChange(rows, event.data.cardId, revision, first);
  if (row === undefined) return;
  change(row, event);
  if (changesCard(event)) row.updatedAt = cardUpdatedAt(event, recordedAt);
}

/** Whether a client sees a change of the card. */
function changesCard({ type, data }: CardEvent): boolean {
  if (type === 'TopupStarted' || type === 'TopupCanceled') return false;
  return type !== 'PaymentRecorded' || data.payment.status !== 'declined';
}

/** The time of the request if a response has returned it, otherwise that of the event. */
export function cardUpdatedAt({ type, data }: CardEvent, recordedAt: string): string {
  if (type === 'CardIssued') return data.createdAt;
  return 'requestedAt' in data && data.requestedAt !== undefined ? data.requestedAt : recordedAt;
}

function issuedRow(issued: CardIssued['data']): CardRow {
  return {
    id: issued.cardId,
    isWhole: true,
    isNew: true,
    revision: 0,
    companyId: issued.companyId,
    environment: issued.environment,
    holderId: issued.holderId,
    productId: issued.productId,
    name: issued.name,
    last4: issued.last4,
    cardReference: issued.cardReference,
    createdAt: issued.createdAt,
    limits: {},
    metadata: {},
  };
}

function change(row: CardRow, { type, data }: CardEvent): void {
  switch (type) {
    case 'CardIssued':
      row.status = data.status ?? 'active';
      row.balance = row.available = parseMoney(data.amount);
      return;
    case 'CardFrozen':
      row.status = 'frozen';
      return;
    case 'CardUnfrozen':
      row.status = 'active';
      return;
    case 'CardClosed':
      row.status = 'closed';
      return;
    case 'CardActivated':
    case 'CardBlocked':
    case 'CardUnblocked':
    case 'CardExpired':
      row.status = data.status;
      return;
    case 'CardChanged':
      row.name = data.name ?? row.name;
      row.limits = data.limits ?? row.limits;
      row.metadata = data.metadata ?? row.metadata;
      return;
    case 'TopupStarted':
    case 'TopupCanceled':
      return;
    case 'CardToppedUp':
    case 'UnloadReserved':
    case 'CardUnloaded':
    case 'UnloadReleased':
    case 'PaymentRecorded':
    case 'PaymentChanged':
      setMoney(row, data.after);
      return;
    default:
      assertNever(type);
  }
}

function setMoney(row: CardRow, { balance, available }: MoneyAfter): void {
  row.available = parseMoney(available);
  row.isBalanceUnknown = balance === undefined;
  if (balance !== undefined) row.balance = parseMoney(balance);
}

export const saveCards = writerOfFoldedRows('read_models.cards', columns);

const balancesOfOldEvents = {
  name: 'balances-of-old-card-events',
  text: `
    UPDATE read_models.cards AS card SET balance = card.available + (
      SELECT coalesce(sum(payment.amount), 0) FROM read_models.transactions AS payment
      WHERE payment.card_id = card.id AND payment.status = 'pending'
        AND payment.type IN ('purchase', 'withdrawal', 'fee', 'adjustment')
    )
    FROM unnest($1::uuid[], $2::integer[]) AS old (id, revision)
    WHERE card.id = old.id AND card.revision = old.revision`,
};

/** After the transactions are saved. A card that contains newer events already has its balance. */
export async function saveBalancesOfOldEvents(rows: CardRows, tx: PoolClient): Promise<void> {
  const old = [...rows.values()].filter(({ isBalanceUnknown }) => isBalanceUnknown);
  if (old.length === 0) return;
  const values = [old.map(({ id }) => id), old.map(({ revision }) => revision)];
  await tx.query({ ...balancesOfOldEvents, values });
}
