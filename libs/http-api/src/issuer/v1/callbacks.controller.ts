import { Controller, Post, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyReply } from 'fastify';
import { response } from '../../api-response';
import { parse } from '../../parse';
import { sendResponse } from '../../send-response';
import { callback } from './callback-schemas';
import { LateOutcomes } from './late-outcomes';
import { ReportedPayments } from './reported-payments';
import { SignedCallbacks } from './signed-callbacks';

/** Where the live issuer tells what happened. It belongs to neither API: the signature is all that opens it. */
@Controller()
export class CallbacksController {
  constructor(
    private readonly callbacks: SignedCallbacks,
    private readonly payments: ReportedPayments,
    private readonly answers: LateOutcomes,
  ) {}

  @Post('/issuer/v1/callbacks')
  @RouteConfig({ rawBody: true })
  async receive(@Res() reply: FastifyReply): Promise<void> {
    const { request } = reply;
    const told = parse(callback, this.callbacks.read(request), 'field');
    const origin = { requestId: request.id };
    if (told.type === 'transaction') await this.payments.record(origin, told);
    else await this.answers.note(origin, told);
    sendResponse(reply, response(200, {}));
  }
}
