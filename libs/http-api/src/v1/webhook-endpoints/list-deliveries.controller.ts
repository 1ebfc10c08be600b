import { WebhookQueries } from '@florin/read-models';
import { Controller } from '@nestjs/common';
import { z } from 'zod';
import { type ResponseOf, response } from '../../api-response';
import { Cursors } from '../../cursors/cursors';
import { Endpoint } from '../../endpoint';
import { notFound } from '../../errors/api-error';
import type { Input } from '../../input';
import { byCreation, pageOf, pageQuery, readPage } from '../../pages';
import { idParams } from '../../schemas';
import { delivery, deliveryStatus } from './delivery-schemas';

const filters = z.strictObject({
  ...pageQuery,
  status: deliveryStatus.optional().meta({ description: 'Only deliveries with this status' }),
});
const deliveries = pageOf(delivery);

@Controller()
export class ListDeliveriesController {
  constructor(
    private readonly queries: WebhookQueries,
    private readonly cursors: Cursors,
  ) {}

  @Endpoint({
    method: 'GET',
    path: '/api/v1/webhook-endpoints/:id/deliveries',
    tag: 'Webhooks',
    summary: 'List the deliveries of a webhook endpoint',
    description: 'Returns deliveries, newest first, with the response to every attempt.',
    scope: 'webhooks:read',
    params: idParams,
    query: filters,
    response: { status: 200, description: 'The deliveries.', schema: deliveries },
  })
  async list(input: Input<undefined, typeof filters, typeof idParams>): Promise<ResponseOf<typeof deliveries>> {
    const { companyId, environment } = input.caller;
    const owner = { companyId, environment };
    const { id } = input.params;
    if ((await this.queries.endpoint(owner, id)) === undefined) {
      throw notFound(`There is no webhook endpoint ${id}: check the id.`);
    }
    // Binds the cursor to this webhook endpoint.
    const listed = { ...input, endpoint: `${input.endpoint} ${id}` };
    const found = await readPage(
      this.cursors,
      listed,
      (wanted, page) => this.queries.deliveries(owner, id, wanted, page),
      byCreation,
    );
    return response(200, found);
  }
}
