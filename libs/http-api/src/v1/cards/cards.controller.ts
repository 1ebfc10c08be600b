import { CardQueries, type CardView, OperationQueries } from '@florin/read-models';
import { Controller } from '@nestjs/common';
import { z } from 'zod';
import { Endpoint, type IdInput, type Input, type ResponseOf } from '../../endpoint';
import { mustBeFound } from '../../must-exist';
import { byCreation, Cursors, optionalPageQuery, pageOf } from '../../pages';
import { cardId, holderId, paramsOf } from '../../ids';
import { metadataFilter } from '../../schemas';
import { productId } from '../products/product-schemas';
import { CardChanges } from './card-changes';
import { card, cardChanges, cardStatus, exampleCard, reportedStatus } from './card-schemas';

const filters = z.strictObject({
  ...optionalPageQuery,
  status: cardStatus.optional().meta({ description: 'Only cards with this status' }),
  holderId: holderId.optional().meta({ description: 'Only cards of this holder' }),
  productId: productId.optional().meta({ description: 'Only cards of this product' }),
  metadata: metadataFilter.optional(),
});
const cards = pageOf('CardPage', card);
const params = paramsOf(cardId);

const change = {
  method: 'POST',
  tag: 'Cards',
  scope: 'cards:write',
  params,
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
    private readonly changes: CardChanges,
    private readonly queries: CardQueries,
    private readonly operations: OperationQueries,
    private readonly cursors: Cursors,
  ) {}

  @Endpoint({
    method: 'GET',
    path: '/api/v1/cards',
    operationId: 'cards.list',
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
    operationId: 'cards.get',
    tag: 'Cards',
    summary: 'Read a card',
    scope: 'cards:read',
    params,
    response: { status: 200, description: 'The card, with a masked number.', schema: card },
  })
  async read({ params: { id }, caller }: IdInput): Promise<ResponseOf<typeof card>> {
    return mustBeFound(await this.queries.find(caller, id), 'card', id);
  }

  @Endpoint({
    ...change,
    path: '/api/v1/cards/:id/freeze',
    operationId: 'cards.freeze',
    summary: 'Freeze a card',
    description: 'A frozen card declines payments and cannot be topped up until it is unfrozen.',
    response: changedCard('The frozen card.', 'frozen'),
  })
  freeze(input: IdInput): Promise<ResponseOf<typeof card>> {
    return this.changes.change(input, 'FreezeCard', {});
  }

  @Endpoint({
    ...change,
    path: '/api/v1/cards/:id/unfreeze',
    operationId: 'cards.unfreeze',
    summary: 'Unfreeze a card',
    response: changedCard('The card, active again.', 'active'),
  })
  unfreeze(input: IdInput): Promise<ResponseOf<typeof card>> {
    return this.changes.change(input, 'UnfreezeCard', {});
  }

  @Endpoint({
    ...change,
    path: '/api/v1/cards/:id/close',
    operationId: 'cards.close',
    summary: 'Close a card',
    description:
      'Closes the card permanently. A closed card cannot be reopened. A card with a balance, pending transactions or pending ' +
      'operations cannot be closed: unload it first.',
    response: changedCard('The closed card.', 'closed'),
    errors: [...change.errors, 'card_not_empty'],
  })
  async close(input: IdInput): Promise<ResponseOf<typeof card>> {
    const unfinishedOperations = await this.operations.countUnfinished(input.caller, input.params.id);
    return this.changes.change(input, 'CloseCard', { unfinishedOperations });
  }

  @Endpoint({
    method: 'PATCH',
    path: '/api/v1/cards/:id',
    operationId: 'cards.update',
    tag: 'Cards',
    summary: 'Change a card',
    description:
      'Changes the name, the spending limits or the metadata. Fields that you do not send stay as they are, and `null` ' +
      'removes a limit. Limits apply to payments that are authorized from then on.',
    scope: 'cards:write',
    params,
    body: cardChanges,
    response: { status: 200, description: 'The changed card.', schema: card, example: exampleCard },
  })
  update(input: IdInput<typeof cardChanges>): Promise<ResponseOf<typeof card>> {
    return this.changes.change(input, 'ChangeCard', input.body);
  }

  @Endpoint({
    ...change,
    tag: 'Sandbox',
    sandboxOnly: true,
    path: '/api/v1/sandbox/cards/:id/status',
    operationId: 'sandbox.setCardStatus',
    summary: 'Simulate a status change by the issuer',
    description:
      'The issuer activates a pending or blocked card, blocks a card, or reports that it has expired. Blocked and expired ' +
      'cards decline payments, and can only be unloaded and closed.',
    body: reportedStatus,
    response: changedCard('The card.', 'blocked'),
  })
  report(input: IdInput<typeof reportedStatus>): Promise<ResponseOf<typeof card>> {
    return this.changes.change(input, 'ReportCardStatus', input.body);
  }
}
