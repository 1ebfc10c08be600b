import { WebhookQueries } from '@florin/read-models';
import { type RecoverEndpoint, requestedEventId, type TestEndpoint, testEventType } from '@florin/webhooks-domain';
import { Controller } from '@nestjs/common';
import { z } from 'zod';
import { ApiResponse, Endpoint, type IdInput, type Input, type ResponseOf } from '../../endpoint';
import { mustBeFound } from '../../must-exist';
import { byCreation, Cursors, pageOf, pageQuery } from '../../pages';
import { paramsOf, webhookEndpointId } from '../../ids';
import { nothing } from '../../schemas';
import { requestedEvent } from '../events/event-schemas';
import { delivery, deliveryStatus } from './delivery-schemas';
import { recovery } from './endpoint-schemas';
import { WebhookCommands } from './webhook-commands';

const tag = 'Webhooks';
const filters = z.strictObject({
  ...pageQuery,
  status: deliveryStatus.optional().meta({ description: 'Only deliveries with this status' }),
});
const deliveries = pageOf('DeliveryPage', delivery);
const params = paramsOf(webhookEndpointId);

@Controller()
export class DeliveriesController {
  constructor(
    private readonly commands: WebhookCommands,
    private readonly queries: WebhookQueries,
    private readonly cursors: Cursors,
  ) {}

  @Endpoint({
    method: 'GET',
    path: '/api/v1/webhook-endpoints/:id/deliveries',
    operationId: 'webhookEndpoints.listDeliveries',
    tag,
    summary: 'List the deliveries of a webhook endpoint',
    description: 'Returns deliveries, newest first, with the response to every attempt.',
    scope: 'webhooks:read',
    params,
    query: filters,
    response: { status: 200, description: 'The deliveries.', schema: deliveries },
  })
  async list(input: Input<undefined, typeof filters, typeof params>): Promise<ResponseOf<typeof deliveries>> {
    const owner = input.caller;
    const { id } = input.params;
    mustBeFound(await this.queries.endpoint(owner, id), 'webhook endpoint', id);
    // Binds the cursor to this webhook endpoint.
    const listed = { ...input, endpoint: `${input.endpoint} ${id}` };
    return this.cursors.readPage(listed, byCreation, (wanted, page) =>
      this.queries.deliveries(owner, id, wanted, page),
    );
  }

  @Endpoint({
    method: 'POST',
    path: '/api/v1/webhook-endpoints/:id/test',
    operationId: 'webhookEndpoints.test',
    tag,
    summary: 'Send a test event',
    description:
      'Sends a `webhook_endpoint.test` event only to this endpoint. The list of deliveries shows the result.',
    scope: 'webhooks:write',
    params,
    response: { status: 202, description: 'The event that will be sent.', schema: requestedEvent },
  })
  async test(input: IdInput): Promise<ResponseOf<typeof requestedEvent>> {
    const data = { ...this.commands.fieldsOf(input), endpointId: input.params.id };
    const command: TestEndpoint = { type: 'TestEndpoint', data };
    const { repeated } = await this.commands.executeOnce(input, command, () => null);
    return new ApiResponse({ id: requestedEventId(data.requestId), type: testEventType }, { replayed: repeated });
  }

  @Endpoint({
    method: 'POST',
    path: '/api/v1/webhook-endpoints/:id/recover',
    operationId: 'webhookEndpoints.recover',
    tag,
    summary: 'Send the missed events of an endpoint',
    description:
      'Sends every event since the given time that the endpoint subscribes to and has not acknowledged. This runs in the ' +
      'background, at most 1,000 pending deliveries at a time. Requests for the same endpoint are merged. Disabling or ' +
      'deleting the endpoint ends it.',
    scope: 'webhooks:write',
    params,
    body: recovery,
    response: { status: 202, description: 'The events will be sent.', schema: nothing },
  })
  async recover(input: IdInput<typeof recovery>): Promise<ResponseOf<typeof nothing>> {
    const { params, body } = input;
    const data = { ...this.commands.fieldsOf(input), endpointId: params.id, since: body.since };
    const command: RecoverEndpoint = { type: 'RecoverEndpoint', data };
    const { repeated } = await this.commands.executeOnce(input, command, () => null);
    return new ApiResponse({}, { replayed: repeated });
  }
}
