import { WebhookQueries } from '@florin/read-models';
import { Controller } from '@nestjs/common';
import { z } from 'zod';
import { type ResponseOf, response } from '../../api-response';
import { Endpoint } from '../../endpoint';
import { notFound } from '../../errors/api-error';
import type { Input } from '../../input';
import { eventBody } from './event-body';
import { eventId, webhookEvent } from './event-schemas';

const eventParams = z.strictObject({ id: eventId });

@Controller()
export class ReadEventController {
  constructor(private readonly queries: WebhookQueries) {}

  @Endpoint({
    method: 'GET',
    path: '/api/v1/events/:id',
    tag: 'Webhooks',
    summary: 'Read an event',
    scope: 'webhooks:read',
    params: eventParams,
    response: { status: 200, description: 'The event, exactly as it is sent.', schema: webhookEvent },
  })
  async read({
    params,
    caller,
  }: Input<undefined, undefined, typeof eventParams>): Promise<ResponseOf<typeof webhookEvent>> {
    const { companyId, environment } = caller;
    const found = await this.queries.event({ companyId, environment }, params.id);
    if (found === undefined) throw notFound(`There is no event ${params.id}: check the id.`);
    return response(200, eventBody(found));
  }
}
