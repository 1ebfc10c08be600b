import { Controller, HttpCode, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { RequestOrigin } from '../../endpoint';
import { parse } from '../../parse';
import { PublicRoute } from '../../route-rules';
import { authorizationRequest, callback } from './callback-schemas';
import { LateOutcomes } from './late-outcomes';
import { type Decision, ReportedPayments } from './reported-payments';
import { ReportedStatuses } from './reported-statuses';
import { SignedCallbacks } from './signed-callbacks';

/** Receives callbacks of the live issuer. It belongs to neither API and is authenticated only by the signature. */
@Controller()
export class CallbacksController {
  constructor(
    private readonly callbacks: SignedCallbacks,
    private readonly payments: ReportedPayments,
    private readonly statuses: ReportedStatuses,
    private readonly outcomes: LateOutcomes,
  ) {}

  @Post('/issuer/v1/callbacks')
  @HttpCode(200)
  @PublicRoute({ rawBody: true })
  async receive(@Req() request: FastifyRequest): Promise<object> {
    const report = parse(callback, this.callbacks.read(request), 'field');
    const origin = originOf(request);
    if (report.type === 'transaction') await this.payments.record(origin, report);
    else if (report.type === 'clearing') await this.payments.clear(origin, report);
    else if (report.type === 'card') await this.statuses.record(origin, report);
    else await this.outcomes.record(origin, report);
    return {};
  }

  /** The real-time decision about a payment. */
  @Post('/issuer/v1/authorizations')
  @HttpCode(200)
  @PublicRoute({ rawBody: true })
  authorize(@Req() request: FastifyRequest): Promise<Decision> {
    const asked = parse(authorizationRequest, this.callbacks.read(request), 'field');
    return this.payments.authorize(originOf(request), asked);
  }
}

function originOf({ id: requestId }: FastifyRequest): RequestOrigin {
  return { requestId, actor: { kind: 'issuer', id: 'live' } };
}
