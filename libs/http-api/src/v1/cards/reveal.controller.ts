import { CLOCK } from '@florin/event-sourcing';
import type { Clock } from '@florin/kernel';
import { accountIdOf } from '@florin/ledger-domain';
import type { RevealAnswer, RevealCard } from '@florin/operations-domain';
import { RevealLinks } from '@florin/read-models';
import { Controller, Inject } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { Commands } from '../../commands';
import { Endpoint, type IdInput, type ResponseOf } from '../../endpoint';
import { HTTP_API_OPTIONS, type HttpApiOptions } from '../../http-api-options';
import { mustExist } from '../../must-exist';
import { cardId, paramsOf } from '../../ids';
import { timestamp } from '../../schemas';
import { revealPath } from './reveal-page.controller';

const validForMs = 60_000;

const reveal = z
  .strictObject({
    url: z.url().meta({
      description: 'The address of the page. It can be opened once, and shows the number, expiry and CVC',
      examples: ['https://issuer.example/reveals/4f0c'],
    }),
    expiresAt: timestamp,
  })
  .meta({ id: 'CardReveal', description: 'Where the cardholder sees the details of a card' });

@Controller()
export class RevealController {
  constructor(
    private readonly commands: Commands,
    private readonly links: RevealLinks,
    @Inject(HTTP_API_OPTIONS) private readonly options: HttpApiOptions,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Endpoint({
    method: 'POST',
    path: '/api/v1/cards/:id/reveal',
    operationId: 'cards.reveal',
    tag: 'Cards',
    summary: 'Show the details of a card',
    description:
      'Returns the address of a page on which the cardholder sees the number, expiry and CVC of an active or frozen card. ' +
      'It can be opened once, within 60 seconds. Open it in the browser of the cardholder; do not send it as a message, ' +
      'because previews of links open it. In live, the page belongs to the card issuer, and the details never pass through Florin. ' +
      'Every request returns a new address, also with the same `Idempotency-Key`.',
    scope: 'cards:reveal',
    issuer: true,
    params: paramsOf(cardId),
    errors: ['card_not_active'],
    response: { status: 200, description: 'The address of the page.', schema: reveal },
  })
  async reveal({ params: { id: cardId }, ...input }: IdInput): Promise<ResponseOf<typeof reveal>> {
    mustExist(cardId, 'card');
    const { companyId, environment } = input.caller;
    const accountId = accountIdOf(companyId, environment);
    const command: RevealCard = { type: 'RevealCard', data: { cardId, accountId } };
    // By card, so that a slow issuer does not delay the other commands of the account.
    const toSend = {
      context: 'operations',
      key: cardId,
      command,
      refusals: { reveal_unavailable: 'unavailable' },
    } as const;
    const { answer } = await this.commands.execute<RevealAnswer>(input, toSend);
    this.options.log.info(
      { companyId, environment, cardId, actor: input.actor },
      'The details of a card were requested',
    );
    return answer.page ?? this.sandboxPage(cardId, answer.last4);
  }

  private async sandboxPage(cardId: string, last4: string): Promise<ResponseOf<typeof reveal>> {
    const token = randomBytes(32).toString('base64url');
    const now = this.clock.now();
    const expiresAt = new Date(now.getTime() + validForMs);
    await this.links.add(token, { cardId, last4 }, expiresAt, now);
    return { url: `${this.options.baseUrl}${revealPath}/${token}`, expiresAt: expiresAt.toISOString() };
  }
}
