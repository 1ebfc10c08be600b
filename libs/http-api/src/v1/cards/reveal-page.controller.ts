import { CLOCK } from '@florin/event-sourcing';
import type { Clock } from '@florin/kernel';
import { sandboxCardDetails } from '@florin/operations-domain';
import { RevealLinks } from '@florin/read-models';
import { Controller, Get, Inject, Param, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { HTTP_API_OPTIONS, type HttpApiOptions } from '../../http-api-options';
import { PublicRoute } from '../../route-rules';
import { detailsPage, gonePage, revealHeaders } from './reveal-page';

export const revealPath = '/sandbox/reveals';

const tokenPattern = /^[A-Za-z0-9_-]{43}$/;

/** The page with the details of a sandbox card. The token in its address is the only authentication, and is valid once. */
@Controller()
export class RevealPageController {
  private readonly headers: Readonly<Record<string, string>>;

  constructor(
    private readonly links: RevealLinks,
    @Inject(HTTP_API_OPTIONS) { revealFrameOrigins }: HttpApiOptions,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.headers = revealHeaders(revealFrameOrigins ?? []);
  }

  @Get(`${revealPath}/:token`)
  @PublicRoute()
  async show(@Param('token') token: string, @Res() reply: FastifyReply): Promise<void> {
    reply.headers(this.headers);
    // These do not show the page, so they must not use up the address.
    const { method, headers } = reply.request;
    const isPrefetch = /prefetch|prerender/i.test(`${headers['sec-purpose']} ${headers['purpose']}`);
    if (method === 'HEAD' || isPrefetch) return void reply.code(204).send();
    const card = tokenPattern.test(token) ? await this.links.take(token, this.clock.now()) : undefined;
    if (card === undefined) return void reply.code(410).send(gonePage());
    reply.header('refresh', '60').send(detailsPage(sandboxCardDetails(card.cardId, card.last4)));
  }
}
