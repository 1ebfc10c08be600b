import { POOL } from '@florin/database';
import { READ_YOUR_WRITES, type ReadYourWrites } from '@florin/event-sourcing';
import { formatMoney, isUuid } from '@florin/kernel';
import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import type { AccountOwner } from '../account-entries/account-entries.queries';
import { cardsProjection } from '../cards/cards.projection';
import { newestFirst, type Page, pageValues } from '../keyset-page';
import type { TransactionFilter, TransactionView } from './transactions.views';

/** A row as it comes out of Postgres: a bigint is text, a time is a date. */
type TransactionRecord = Omit<TransactionView, 'occurredAt'> & { readonly occurredAt: Date };

const transactionColumns = `
  id, card_id AS "cardId", reference, type, status, amount, currency, merchant, country, description,
  occurred_at AS "occurredAt"`;

const findTransaction = {
  name: 'find-transaction',
  text: `
    SELECT ${transactionColumns} FROM read_models.transactions
    WHERE id = $1 AND company_id = $2 AND environment = $3`,
};

const listText = (onCard: string) => `
  SELECT ${transactionColumns} FROM read_models.transactions
  WHERE company_id = $1 AND environment = $2
    AND ${onCard}
    AND ($4::text IS NULL OR type = $4)
    AND ($5::text IS NULL OR status = $5)
    AND occurred_at >= coalesce($6::timestamptz, '-infinity')
    ${newestFirst('occurred_at', 8, '$7')}`;

/** A statement of its own for one card: it has to use another index, whatever was asked for before. */
const listTransactions = { name: 'list-transactions', text: listText('$3::uuid IS NULL') };
const listOfCard = { name: 'list-transactions-of-card', text: listText('card_id = $3::uuid') };

/** Every answer shows all that was acknowledged before it was asked for. */
@Injectable()
export class TransactionQueries {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(READ_YOUR_WRITES) private readonly readYourWrites: ReadYourWrites,
  ) {}

  async find(owner: AccountOwner, id: string): Promise<TransactionView | undefined> {
    if (!isUuid(id)) return undefined;
    await this.readYourWrites.waitUntilCaughtUp(cardsProjection.name);
    const values = [id, owner.companyId, owner.environment];
    const { rows } = await this.pool.query<TransactionRecord>({ ...findTransaction, values });
    return rows.map(transactionView)[0];
  }

  /** The newest first, by the time at which they occurred. */
  async list(owner: AccountOwner, filter: TransactionFilter, page: Page): Promise<readonly TransactionView[]> {
    const { cardId, type, status, from, to } = filter;
    if (cardId !== undefined && !isUuid(cardId)) return [];
    await this.readYourWrites.waitUntilCaughtUp(cardsProjection.name);
    const wanted = [cardId, type, status, from, to];
    const values = [owner.companyId, owner.environment, ...wanted, ...pageValues(page)];
    const query = cardId === undefined ? listTransactions : listOfCard;
    const { rows } = await this.pool.query<TransactionRecord>({ ...query, values });
    return rows.map(transactionView);
  }
}

function transactionView(record: TransactionRecord): TransactionView {
  return { ...record, amount: formatMoney(BigInt(record.amount)), occurredAt: record.occurredAt.toISOString() };
}
