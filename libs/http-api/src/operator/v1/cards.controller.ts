import { CLOCK } from '@florin/event-sourcing';
import { type Clock, randomId } from '@florin/kernel';
import type { CardAnswer, ReportCardStatus } from '@florin/operations-domain';
import { CardQueries } from '@florin/read-models';
import { Controller, Inject } from '@nestjs/common';
import { z } from 'zod';
import { Commands } from '../../commands';
import { OperatorEndpoint, type OperatorIdInput, type ResponseOf } from '../../endpoint';
import { mustBeFound } from '../../must-exist';
import { cardId, companyId, paramsOf } from '../../ids';
import { environment, explainedEnum } from '../../schemas';
import { card, cardBody } from '../../v1/cards/card-schemas';

const statusChange = z
  .strictObject({
    status: explainedEnum<'active' | 'blocked'>('OperatorCardStatus', 'The new status of the card', {
      active: 'Unblocks the card',
      blocked: 'Blocks the card',
    }).meta({ examples: ['blocked'] }),
  })
  .meta({ id: 'CardStatusChange', description: 'The new status of a card' });
const operatorCard = card
  .extend({ companyId, environment })
  .meta({ id: 'OperatorCard', description: 'A card with its company' });

@Controller()
export class OperatorCardsController {
  constructor(
    private readonly commands: Commands,
    private readonly queries: CardQueries,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @OperatorEndpoint({
    method: 'POST',
    path: '/operator/v1/cards/:id/status',
    operationId: 'cards.setStatus',
    tag: 'Cards',
    role: 'support',
    summary: 'Block or unblock a card',
    description:
      'A blocked card declines payments and cannot be topped up. It can be unloaded and closed. A card that was frozen is ' +
      'frozen again when it is unblocked.',
    params: paramsOf(cardId),
    body: statusChange,
    response: { status: 200, description: 'The card.', schema: operatorCard },
    errors: ['card_not_active'],
  })
  async setStatus(input: OperatorIdInput<typeof statusChange>): Promise<ResponseOf<typeof operatorCard>> {
    const owner = mustBeFound(await this.queries.findAnywhere(input.params.id), 'card', input.params.id);
    const { cardId, accountId, companyId, environment } = owner;
    const requestedAt = this.clock.now().toISOString();
    const command: ReportCardStatus = {
      type: 'ReportCardStatus',
      data: { cardId, accountId, status: input.body.status, requestId: randomId(), requestedAt },
    };
    const sent = { context: 'operations', key: accountId, command } as const;
    const { answer } = await this.commands.execute<CardAnswer>(input, sent);
    return { ...cardBody({ ...answer, updatedAt: requestedAt }), companyId, environment };
  }
}
