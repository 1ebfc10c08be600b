import { PRISMA, type Prisma, type PrismaClient } from '@florin/database';
import { READ_YOUR_WRITES, type ReadYourWrites } from '@florin/event-sourcing';
import { formatMoney, isUuid } from '@florin/kernel';
import { accountIdOf } from '@florin/ledger-domain';
import type { CardStatus } from '@florin/operations-domain';
import { Inject, Injectable } from '@nestjs/common';
import type { AccountOwner } from '../account-entries/account-entries.queries';
import { newestFirst, type Page } from '../keyset-page';
import { storableText } from '../storable-text';
import { cardsProjection } from './cards.projection';
import type { CardFilter, CardOwner, CardView } from './cards.views';

const columns = {
  ...{ id: true, name: true, holderId: true, last4: true, status: true },
  ...{ balance: true, productId: true, createdAt: true },
} as const;

/** Every result includes all writes that were acknowledged before the call. */
@Injectable()
export class CardQueries {
  constructor(
    @Inject(PRISMA) private readonly prisma: PrismaClient,
    @Inject(READ_YOUR_WRITES) private readonly readYourWrites: ReadYourWrites,
  ) {}

  async find({ companyId, environment }: AccountOwner, id: string): Promise<CardView | undefined> {
    if (!isUuid(id)) return undefined;
    await this.readYourWrites.waitUntilCaughtUp(cardsProjection.name);
    const card = await this.prisma.card.findUnique({ where: { id, companyId, environment }, select: columns });
    return card === null ? undefined : cardView(card);
  }

  /** Newest first; all of them unless the page has a limit. */
  async list(owner: AccountOwner, filter: CardFilter, page: Page = {}): Promise<readonly CardView[]> {
    const { companyId, environment } = owner;
    const { status, holderId, productId } = filter;
    if (holderId !== undefined && !isUuid(holderId)) return [];
    await this.readYourWrites.waitUntilCaughtUp(cardsProjection.name);
    const { where, ...sorted } = newestFirst('createdAt', page);
    const cards = await this.prisma.card.findMany({
      where: { companyId, environment, status, holderId, productId, ...where },
      ...sorted,
      select: columns,
    });
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
    await this.readYourWrites.waitUntilCaughtUp(cardsProjection.name);
    const select = { id: true, companyId: true, environment: true };
    const [card, another] = await this.prisma.card.findMany({ where, take: 2, select });
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
    createdAt: card.createdAt.toISOString(),
  };
}
