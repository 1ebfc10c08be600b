import type { Prisma } from '@florin/database';
import { formatMoney, isUuid, type Metadata } from '@florin/kernel';
import { accountIdOf } from '@florin/ledger-domain';
import type { CardAnswer, CardLimits, CardStatus } from '@florin/operations-domain';
import { Injectable } from '@nestjs/common';
import type { AccountOwner } from '../account-entries/account-entries.queries';
import { newestFirst, type Page } from '../keyset-page';
import { idsWithMetadata } from '../metadata-filter';
import { issuer, type ReadConnection } from '../read-database';
import { ReadModelQueries } from '../read-model-queries';
import { storableText } from '../storable-text';
import { cardsProjection } from './cards.projection';

/** The card as clients see it. */
export type CardView = Omit<CardAnswer, 'cardId'> & { readonly id: string; readonly updatedAt: string };

export interface CardFilter {
  readonly status?: CardStatus;
  readonly holderId?: string;
  readonly productId?: string;
  /** All of these pairs. */
  readonly metadata?: Metadata;
}

/** Whose card it is, for messages that name a card and no company. */
export interface CardOwner {
  readonly cardId: string;
  readonly companyId: string;
  readonly environment: 'sandbox' | 'live';
  readonly accountId: string;
}

const columns = {
  ...{ id: true, name: true, holderId: true, last4: true, status: true },
  ...{ balance: true, available: true, productId: true, createdAt: true, updatedAt: true },
  ...{ limits: true, metadata: true },
} as const;

@Injectable()
export class CardQueries extends ReadModelQueries {
  async find(owner: AccountOwner, id: string): Promise<CardView | undefined> {
    if (!isUuid(id)) return undefined;
    await this.waitUntilCaughtUp(cardsProjection);
    const { companyId, environment } = owner;
    const where = { id, companyId, environment };
    const card = await this.read(owner, ({ prisma }) => prisma.card.findUnique({ where, select: columns }));
    return card === null ? undefined : cardView(card);
  }

  /** Newest first; all of them unless the page has a limit. */
  async list(owner: AccountOwner, filter: CardFilter, page: Page = {}): Promise<readonly CardView[]> {
    const { companyId, environment } = owner;
    const { status, holderId, productId, metadata } = filter;
    if (holderId !== undefined && !isUuid(holderId)) return [];
    if (!page.continued) await this.waitUntilCaughtUp(cardsProjection);
    const { where: position, ...sorted } = newestFirst('createdAt', page);
    const where = { companyId, environment, status, holderId, productId, ...position };
    const equal = { status, holder_id: holderId, product_id: productId };
    const read = async (connection: ReadConnection) => {
      const known = { companyId, environment, equal };
      const ids = metadata && (await idsWithMetadata(connection, 'cards', { ...known, metadata }, page));
      const found = ids === undefined ? where : { id: { in: [...ids] } };
      return connection.prisma.card.findMany({ where: found, ...sorted, select: columns });
    };
    const cards = await this.read(owner, read, page);
    return cards.map(cardView);
  }

  async findAnywhere(id: string): Promise<CardOwner | undefined> {
    return isUuid(id) ? this.findOwner({ id }) : undefined;
  }

  /** Nothing if several cards have the reference, because a payment must not go to the wrong card. */
  async findByReference(cardReference: string): Promise<CardOwner | undefined> {
    return this.findOwner({ cardReference: storableText(cardReference) });
  }

  private async findOwner(where: Prisma.CardWhereInput): Promise<CardOwner | undefined> {
    await this.waitUntilCaughtUp(cardsProjection);
    const select = { id: true, companyId: true, environment: true };
    const query = { where, take: 2, select };
    const [card, another] = await this.read(issuer, ({ prisma }) => prisma.card.findMany(query));
    if (card === undefined || another !== undefined) return undefined;
    const { id: cardId, companyId } = card;
    const environment = card.environment as CardOwner['environment'];
    return { cardId, companyId, environment, accountId: accountIdOf(companyId, environment) };
  }
}

function cardView(card: Prisma.CardGetPayload<{ select: typeof columns }>): CardView {
  return {
    ...card,
    status: card.status as CardStatus,
    balance: formatMoney(card.balance),
    available: formatMoney(card.available),
    limits: card.limits as CardLimits,
    metadata: card.metadata as Metadata,
    createdAt: card.createdAt.toISOString(),
    updatedAt: card.updatedAt.toISOString(),
  };
}
