import { CLOCK } from '@florin/event-sourcing';
import type { Clock } from '@florin/kernel';
import { Controller, Get, Inject, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { notFound } from '../errors/api-error';
import { once } from '../openapi/once';
import { StaticContent } from '../openapi/static-content';
import { AddressLimiter } from '../rate-limit/address-limiter';
import { PublicRoute } from '../route-rules';
import { pageStateOf } from './page-state';
import { pageHeaders, paymentPage, unknownPaymentPage } from './payment-page.html';
import { paymentPageScript } from './payment-page.script';
import { paymentPageStyle } from './payment-page.style';
import { PaymentPages } from './payment-pages';

/** Their addresses change with their content. */
const cacheControl = 'public, max-age=31536000, immutable';

/** The page for the payer of an invoice. Who knows its address needs no key, and sees nothing but what the payer needs. */
@Controller()
export class PaymentPageController {
  private readonly style = once(() =>
    StaticContent.of(paymentPageStyle, { contentType: 'text/css; charset=utf-8', cacheControl }),
  );
  private readonly script = once(() =>
    StaticContent.of(paymentPageScript, { contentType: 'text/javascript; charset=utf-8', cacheControl }),
  );
  private readonly unknown = unknownPaymentPage();

  constructor(
    private readonly pages: PaymentPages,
    private readonly limiter: AddressLimiter,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Get('/pay/page.css')
  @PublicRoute()
  async readStyle(@Res() reply: FastifyReply): Promise<void> {
    (await this.style()).send(reply);
  }

  @Get('/pay/page.js')
  @PublicRoute()
  async readScript(@Res() reply: FastifyReply): Promise<void> {
    (await this.script()).send(reply);
  }

  @Get('/pay/:token')
  @PublicRoute()
  async readPage(
    @Param('token') token: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    this.limiter.count(request.ip);
    const invoice = await this.pages.find(token);
    reply.headers(pageHeaders);
    if (invoice === undefined) return void reply.code(404).send(this.unknown);
    const now = this.clock.now();
    const qrCode = await this.pages.qrCodeOf(invoice.address);
    reply.send(paymentPage({ invoice, state: pageStateOf(invoice, now), qrCode, now }));
  }

  /** What the page polls. */
  @Get('/pay/:token/state')
  @PublicRoute()
  async readState(
    @Param('token') token: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    this.limiter.count(request.ip);
    const invoice = await this.pages.find(token);
    if (invoice === undefined) throw notFound('There is no such payment page: check the address.');
    reply.header('referrer-policy', 'no-referrer').send({ state: pageStateOf(invoice, this.clock.now()) });
  }
}
