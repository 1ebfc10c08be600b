import { POOL } from '@florin/database';
import { READ_YOUR_WRITES, type ReadYourWrites } from '@florin/event-sourcing';
import { formatMoney, isUuid } from '@florin/kernel';
import { accountIdOf } from '@florin/ledger-domain';
import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import type { AccountOwner } from '../account-entries/account-entries.queries';
import { newestFirst, type Page, pageValues } from '../keyset-page';
import { storableText } from '../storable-text';
import { cardsProjection } from './cards.projection';
import type { CardFilter, CardOwner, CardView } from './cards.views';

/** A row as it comes out of Postgres: a bigint is text, a time is a date. */
type CardRecord = Omit<CardView, 'createdAt'> & { readonly createdAt: Date };

const cardColumns = `
  id, name, holder_id AS "holderId", last4, status, balance, product_id AS "productId", created_at AS "createdAt"`;

const findCard = {
  name: 'find-card',
  text: `SELECT ${cardColumns} FROM read_models.cards WHERE id = $1 AND company_id = $2 AND environment = $3`,
};

const listCards = {
  name: 'list-cards',
  text: `
  SELECT ${cardColumns} FROM read_models.cards
  WHERE company_id = $1 AND environment = $2
    AND ($3::text IS NULL OR status = $3)
    AND ($4::uuid IS NULL OR holder_id = $4)
    AND ($5::text IS NULL OR product_id = $5)
    ${newestFirst('created_at', 6)}`,
};

const ownerColumns = 'id AS "cardId", company_id AS "companyId", environment';
const ownerById = { name: 'card-owner', text: `SELECT ${ownerColumns} FROM read_models.cards WHERE id = $1` };
const ownerByReference = {
  name: 'card-owner-by-reference',
  text: `SELECT ${ownerColumns} FROM read_models.cards WHERE card_reference = $1 LIMIT 2`,
};

/** Every answer shows all that was acknowledged before it was asked for. */
@Injectable()
export class CardQueries {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(READ_YOUR_WRITES) private readonly readYourWrites: ReadYourWrites,
  ) {}

  async find(owner: AccountOwner, id: string): Promise<CardView | undefined> {
    if (!isUuid(id)) return undefined;
    await this.readYourWrites.waitUntilCaughtUp(cardsProjection.name);
    const values = [id, owner.companyId, owner.environment];
    const { rows } = await this.pool.query<CardRecord>({ ...findCard, values });
    return rows.map(cardView)[0];
  }

  /** The newest first; all of them unless the page has a limit. */
  async list(owner: AccountOwner, filter: CardFilter, page: Page = {}): Promise<readonly CardView[]> {
    const { status, holderId, productId } = filter;
    if (holderId !== undefined && !isUuid(holderId)) return [];
    await this.readYourWrites.waitUntilCaughtUp(cardsProjection.name);
    const values = [owner.companyId, owner.environment, status, holderId, productId, ...pageValues(page)];
    const { rows } = await this.pool.query<CardRecord>({ ...listCards, values });
    return rows.map(cardView);
  }

  async findAnywhere(id: string): Promise<CardOwner | undefined> {
    if (!isUuid(id)) return undefined;
    return this.ownerOf(ownerById, id);
  }

  /** The one card that the issuer calls so. Nothing when there are several: no payment may land on a guess. */
  async findByReference(cardReference: string): Promise<CardOwner | undefined> {
    return this.ownerOf(ownerByReference, storableText(cardReference));
  }

  private async ownerOf(query: typeof ownerById, value: string): Promise<CardOwner | undefined> {
    await this.readYourWrites.waitUntilCaughtUp(cardsProjection.name);
    const { rows } = await this.pool.query<Omit<CardOwner, 'accountId'>>({ ...query, values: [value] });
    const [card, another] = rows;
    if (card === undefined || another !== undefined) return undefined;
    return { ...card, accountId: accountIdOf(card.companyId, card.environment) };
  }
}

function cardView(record: CardRecord): CardView {
  return { ...record, balance: formatMoney(BigInt(record.balance)), createdAt: record.createdAt.toISOString() };
}
