import { CLOCK } from '@florin/event-sourcing';
import { type Clock, randomId } from '@florin/kernel';
import { accountIdOf } from '@florin/ledger-domain';
import { WebhookQueries } from '@florin/read-models';
import type { ResendEvent } from '@florin/webhooks-domain';
import { Controller, Inject } from '@nestjs/common';
import { z } from 'zod';
import { type ResponseOf, response } from '../../api-response';
import { Commands } from '../../commands';
import { Endpoint } from '../../endpoint';
import { notFound } from '../../errors/api-error';
import type { Input } from '../../input';
import { mustExist } from '../../must-exist';
import { reference } from '../../schemas';
import { webhookCommand } from '../webhook-endpoints/webhook-command';
import { eventId } from './event-schemas';

const eventParams = z.strictObject({ id: eventId });
const receiver = z.strictObject({
  endpointId: reference.optional().meta({
    description:
      'Send the event only to this endpoint. If absent, it is sent to every endpoint that subscribes to its type',
  }),
});
const nothing = z.strictObject({});

@Controller()
export class ResendEventController {
  constructor(
    private readonly commands: Commands,
    private readonly queries: WebhookQueries,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Endpoint({
    method: 'POST',
    path: '/api/v1/events/:id/resend',
    tag: 'Webhooks',
    summary: 'Send an event again',
    description: 'The event keeps its id, so that a receiver recognizes it as a duplicate.',
    scope: 'webhooks:write',
    params: eventParams,
    body: receiver,
    response: { status: 202, description: 'The event will be sent.', schema: nothing },
  })
  async resend({
    body,
    params,
    caller,
    idempotency,
    ...origin
  }: Input<typeof receiver, undefined, typeof eventParams>): Promise<ResponseOf<typeof nothing>> {
    const { companyId, environment } = caller;
    const { endpointId } = body;
    if (endpointId !== undefined) mustExist(endpointId, 'webhook endpoint');
    const event = await this.queries.event({ companyId, environment }, params.id);
    if (event === undefined) throw notFound(`There is no event ${params.id}: check the id.`);
    const requestId = idempotency?.commandId ?? randomId();
    const data = { eventId: params.id, endpointId, requestId, now: this.clock.now().toISOString() };
    const command: ResendEvent = {
      type: 'ResendEvent',
      data: { accountId: accountIdOf(companyId, environment), ...data },
    };
    const { repeated } = await this.commands.execute(origin, webhookCommand(command, requestId));
    return response(202, {}, { replayed: repeated });
  }
}
