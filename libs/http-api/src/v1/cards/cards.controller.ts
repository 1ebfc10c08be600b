import { CLOCK } from '@florin/event-sourcing';
import { type Clock, type Json, randomId } from '@florin/kernel';
import { accountIdOf } from '@florin/ledger-domain';
import type { CardAnswer, CloseCard, FreezeCard, UnfreezeCard } from '@florin/operations-domain';
import { CardQueries, type CardView } from '@florin/read-models';
import { Controller, Inject } from '@nestjs/common';
import { z } from 'zod';
import { Commands } from '../../commands';
import { ApiResponse, Endpoint, type IdInput, type Input, type ResponseOf } from '../../endpoint';
import { mustBeFound } from '../../must-exist';
import { byCreation, Cursors, optionalPageQuery, pageOf } from '../../pages';
import { id, idParams } from '../../schemas';
import { productId } from '../products/product-schemas';
import { card, cardBody, cardStatus, exampleCard } from './card-schemas';

type CardCommand = FreezeCard | UnfreezeCard | CloseCard;

const filters = z.strictObject({
  ...optionalPageQuery,
  status: cardStatus.optional().meta({ description: 'Only cards with this status' }),
  holderId: id.optional().meta({ description: 'Only cards of this holder' }),
  productId: productId.optional().meta({ description: 'Only cards of this product' }),
});
const cards = pageOf(card);

const change = {
  method: 'POST',
  tag: 'Cards',
  scope: 'cards:write',
  params: idParams,
  errors: ['card_not_active'],
} as const;

const changedCard = (description: string, status: string) => ({
  status: 200,
  description,
  schema: card,
  example: { ...exampleCard, status },
});

@Controller()
export class CardsController {
  constructor(
    private readonly commands: Commands,
    private readonly queries: CardQueries,
    private readonly cursors: Cursors,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Endpoint({
    method: 'GET',
    path: '/api/v1/cards',
    tag: 'Cards',
    summary: 'List cards',
    description: 'Returns all cards, newest first, or one page if you send a `limit`. With many cards, use pages.',
    scope: 'cards:read',
    query: filters,
    response: { status: 200, description: 'The cards, with masked numbers.', schema: cards },
  })
  list(input: Input<undefined, typeof filters>): Promise<ResponseOf<typeof cards>> {
    return this.cursors.readList(input, {
      endOf: byCreation,
      bodyOf: (view: CardView) => view,
      read: (wanted, page) => this.queries.list(input.caller, wanted, page),
    });
  }

  @Endpoint({
    method: 'GET',
    path: '/api/v1/cards/:id',
    tag: 'Cards',
    summary: 'Read a card',
    scope: 'cards:read',
    params: idParams,
    response: { status: 200, description: 'The card, with a masked number.', schema: card },
  })
  async read({ params: { id }, caller }: IdInput): Promise<ResponseOf<typeof card>> {
    return mustBeFound(await this.queries.find(caller, id), 'card', id);
  }

  @Endpoint({
    ...change,
    path: '/api/v1/cards/:id/freeze',
    summary: 'Freeze a card',
    description: 'A frozen card declines payments and cannot be topped up until it is unfrozen.',
    response: changedCard('The frozen card.', 'frozen'),
  })
  freeze(input: IdInput): Promise<ResponseOf<typeof card>> {
    return this.change('FreezeCard', input);
  }

  @Endpoint({
    ...change,
    path: '/api/v1/cards/:id/unfreeze',
    summary: 'Unfreeze a card',
    response: changedCard('The card, active again.', 'active'),
  })
  unfreeze(input: IdInput): Promise<ResponseOf<typeof card>> {
    return this.change('UnfreezeCard', input);
  }

  @Endpoint({
    ...change,
    path: '/api/v1/cards/:id/close',
    summary: 'Close a card',
    description: 'Closes the card permanently. A closed card cannot be reopened.',
    response: changedCard('The closed card.', 'closed'),
  })
  close(input: IdInput): Promise<ResponseOf<typeof card>> {
    return this.change('CloseCard', input);
  }

  private async change(type: CardCommand['type'], input: IdInput): Promise<ResponseOf<typeof card>> {
    const { params, caller, idempotency } = input;
    const key = accountIdOf(caller.companyId, caller.environment);
    const id = idempotency?.commandId ?? randomId();
    const requestedAt = this.clock.now().toISOString();
    const command: CardCommand = { type, data: { cardId: params.id, accountId: key, requestId: id, requestedAt } };
    const replyAgain = (stored: Json) => this.cardAfter(input, stored as Pick<CardAnswer, 'status' | 'balance'>);
    const { answer, repeated } = await this.commands.execute<CardAnswer>(input, {
      context: 'operations',
      key,
      id,
      command,
      remembered: { replyAgain },
    });
    return new ApiResponse(cardBody(answer), { replayed: repeated });
  }

  /** The card right after an earlier change. Only status and balance change. */
  private async cardAfter(
    { caller, params }: IdInput,
    { status, balance }: Pick<CardAnswer, 'status' | 'balance'>,
  ): Promise<CardAnswer> {
    const { id: cardId, ...facts } = mustBeFound(await this.queries.find(caller, params.id), 'card', params.id);
    return { ...facts, cardId, status, balance };
  }
}
