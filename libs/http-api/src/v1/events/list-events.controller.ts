import { WebhookQueries } from '@florin/read-models';
import { Controller } from '@nestjs/common';
import { z } from 'zod';
import { type ResponseOf, response } from '../../api-response';
import { Cursors } from '../../cursors/cursors';
import { Endpoint } from '../../endpoint';
import type { Input } from '../../input';
import { byCreation, pageOf, pageQuery, readPage } from '../../pages';
import { timestampInput } from '../../schemas';
import { eventBody } from './event-body';
import { eventTypes, webhookEvent } from './event-schemas';

const filters = z.strictObject({
  ...pageQuery,
  type: z.enum(eventTypes).optional().meta({ description: 'Only events of this type' }),
  createdFrom: timestampInput.optional().meta({ description: 'Only events at this time or later' }),
  createdTo: timestampInput.optional().meta({ description: 'Only events at this time or earlier' }),
});
const events = pageOf(webhookEvent);

@Controller()
export class ListEventsController {
  constructor(
    private readonly queries: WebhookQueries,
    private readonly cursors: Cursors,
  ) {}

  @Endpoint({
    method: 'GET',
    path: '/api/v1/events',
    tag: 'Webhooks',
    summary: 'List events',
    description: 'Returns all webhook events, newest first, including those that no endpoint has subscribed to.',
    scope: 'webhooks:read',
    query: filters,
    response: { status: 200, description: 'The events.', schema: events },
  })
  async list(input: Input<undefined, typeof filters>): Promise<ResponseOf<typeof events>> {
    const { companyId, environment } = input.caller;
    const { data, nextCursor } = await readPage(
      this.cursors,
      input,
      (wanted, page) => this.queries.events({ companyId, environment }, wanted, page),
      byCreation,
    );
    return response(200, { data: data.map(eventBody), nextCursor });
  }
}
