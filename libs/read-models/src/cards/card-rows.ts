import { assertNever, parseMoney } from '@florin/kernel';
import type { CardEvent, CardIssued, CardStatus } from '@florin/operations-domain';
import { type FoldedColumns, type FoldedRowOf, rowToChange, writerOfFoldedRows } from '../folded-rows';

const columns = {
  id: ['uuid', 'settled'],
  companyId: ['uuid', 'settled'],
  environment: ['text', 'settled'],
  holderId: ['uuid', 'settled'],
  productId: ['text', 'settled'],
  name: ['text', 'settled'],
  last4: ['text', 'settled'],
  cardReference: ['text', 'settled'],
  createdAt: ['timestamptz', 'settled'],
  status: ['text', 'replaced'],
  balance: ['bigint', 'replaced'],
} as const satisfies FoldedColumns;

type CardRow = FoldedRowOf<typeof columns> & { status?: CardStatus };
export type CardRows = Map<string, CardRow>;

export function applyToCard(rows: CardRows, event: CardEvent, revision: number): void {
  const first = event.type === 'CardIssued' ? issuedRow(event.data) : undefined;
  const row = rowToChange(rows, event.data.cardId, revision, first);
  if (row !== undefined) change(row, event);
}

function issuedRow(issued: CardIssued['data']): CardRow {
  return {
    id: issued.cardId,
    isWhole: true,
    revision: 0,
    companyId: issued.companyId,
    environment: issued.environment,
    holderId: issued.holderId,
    productId: issued.productId,
    name: issued.name,
    last4: issued.last4,
    cardReference: issued.cardReference,
    createdAt: issued.createdAt,
  };
}

function change(row: CardRow, { type, data }: CardEvent): void {
  switch (type) {
    case 'CardIssued':
      row.status = 'active';
      row.balance = parseMoney(data.amount);
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
    case 'CardToppedUp':
    case 'PaymentRecorded':
    case 'PaymentChanged':
      row.balance = parseMoney(data.balance);
      return;
    default:
      assertNever(type);
  }
}

export const saveCards = writerOfFoldedRows('read_models.cards', columns);
