import { WebhookQueries } from '@florin/read-models';
import { Controller } from '@nestjs/common';
import { type ResponseOf, response } from '../../api-response';
import { Endpoint } from '../../endpoint';
import { notFound } from '../../errors/api-error';
import type { Input } from '../../input';
import { idParams } from '../../schemas';
import { webhookEndpoint } from './endpoint-schemas';

@Controller()
export class ReadEndpointController {
  constructor(private readonly queries: WebhookQueries) {}

  @Endpoint({
    method: 'GET',
    path: '/api/v1/webhook-endpoints/:id',
    tag: 'Webhooks',
    summary: 'Read a webhook endpoint',
    scope: 'webhooks:read',
    params: idParams,
    response: { status: 200, description: 'The endpoint, without its secret.', schema: webhookEndpoint },
  })
  async read({
    params,
    caller,
  }: Input<undefined, undefined, typeof idParams>): Promise<ResponseOf<typeof webhookEndpoint>> {
    const { companyId, environment } = caller;
    const found = await this.queries.endpoint({ companyId, environment }, params.id);
    if (found === undefined) throw notFound(`There is no webhook endpoint ${params.id}: check the id.`);
    return response(200, found);
  }
}
