import { assertNever, type Money, parseMoney } from '@florin/kernel';
import type { CardEvent, CardIssued, CardStatus } from '@florin/operations-domain';
import { type FoldedRow, writerOfFoldedRows } from '../folded-rows';

/** With the column names of the table. */
export interface CardRow extends FoldedRow {
  company_id?: string;
  environment?: CardIssued['data']['environment'];
  holder_id?: string;
  product_id?: string;
  name?: string;
  last4?: string;
  card_reference?: string;
  created_at?: string;
  status?: CardStatus;
  balance?: Money;
}

export type CardRows = Map<string, CardRow>;

export function applyToCard(rows: CardRows, event: CardEvent, revision: number): void {
  const id = event.data.cardId;
  const known = rows.get(id);
  if (known !== undefined && known.revision >= revision) return;
  const row = event.type === 'CardIssued' ? issuedRow(event.data) : (known ?? { id, isWhole: false, revision });
  rows.set(id, row);
  row.revision = revision;
  change(row, event);
}

function issuedRow(issued: CardIssued['data']): CardRow {
  return {
    id: issued.cardId,
    isWhole: true,
    revision: 0,
    company_id: issued.companyId,
    environment: issued.environment,
    holder_id: issued.holderId,
    product_id: issued.productId,
    name: issued.name,
    last4: issued.last4,
    card_reference: issued.cardReference,
    created_at: issued.createdAt,
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

export const saveCards = writerOfFoldedRows<CardRow>('read_models.cards', {
  id: ['uuid', 'settled'],
  company_id: ['uuid', 'settled'],
  environment: ['text', 'settled'],
  holder_id: ['uuid', 'settled'],
  product_id: ['text', 'settled'],
  name: ['text', 'settled'],
  last4: ['text', 'settled'],
  card_reference: ['text', 'settled'],
  created_at: ['timestamptz', 'settled'],
  status: ['text', 'replaced'],
  balance: ['bigint', 'replaced'],
  revision: ['integer', 'replaced'],
});
