import { Controller, HttpCode, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { parse } from '../../parse';
import { PublicRoute } from '../../route-rules';
import { callback } from './callback-schemas';
import { LateOutcomes } from './late-outcomes';
import { ReportedPayments } from './reported-payments';
import { SignedCallbacks } from './signed-callbacks';

/** Receives callbacks of the live issuer. It belongs to neither API and is authenticated only by the signature. */
@Controller()
export class CallbacksController {
  constructor(
    private readonly callbacks: SignedCallbacks,
    private readonly payments: ReportedPayments,
    private readonly outcomes: LateOutcomes,
  ) {}

  @Post('/issuer/v1/callbacks')
  @HttpCode(200)
  @PublicRoute({ rawBody: true })
  async receive(@Req() request: FastifyRequest): Promise<object> {
    const report = parse(callback, this.callbacks.read(request), 'field');
    const origin = { requestId: request.id, actor: { kind: 'issuer', id: 'live' } } as const;
    if (report.type === 'transaction') await this.payments.record(origin, report);
    else await this.outcomes.record(origin, report);
    return {};
  }
}
