import { WebhookQueries } from '@florin/read-models';
import { Controller } from '@nestjs/common';
import { z } from 'zod';
import { type ResponseOf, response } from '../../api-response';
import { Endpoint } from '../../endpoint';
import type { Input } from '../../input';
import { webhookEndpoint } from './endpoint-schemas';

const endpoints = z.strictObject({ data: z.array(webhookEndpoint) });

@Controller()
export class ListEndpointsController {
  constructor(private readonly queries: WebhookQueries) {}

  @Endpoint({
    method: 'GET',
    path: '/api/v1/webhook-endpoints',
    tag: 'Webhooks',
    summary: 'List webhook endpoints',
    description: 'Returns all webhook endpoints, newest first.',
    scope: 'webhooks:read',
    response: { status: 200, description: 'The endpoints, without their secrets.', schema: endpoints },
  })
  async list({ caller }: Input): Promise<ResponseOf<typeof endpoints>> {
    const { companyId, environment } = caller;
    return response(200, { data: await this.queries.endpoints({ companyId, environment }) });
  }
}
