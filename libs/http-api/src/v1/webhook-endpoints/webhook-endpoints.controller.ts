import type { DeleteEndpoint, EndpointAnswer, UpdateEndpoint } from '@florin/webhooks-domain';
import { WebhookQueries } from '@florin/read-models';
import { Controller } from '@nestjs/common';
import { z } from 'zod';
import { Endpoint, type IdInput, type Input, type ResponseOf } from '../../endpoint';
import { mustBeFound } from '../../must-exist';
import { paramsOf, webhookEndpointId } from '../../ids';
import { endpointChange, webhookEndpoint } from './endpoint-schemas';
import { ReceiverRules } from './receiver-rules';
import { WebhookCommands } from './webhook-commands';

const tag = 'Webhooks';
const endpoints = z
  .strictObject({ data: z.array(webhookEndpoint).meta({ description: 'All of them' }) })
  .meta({ id: 'WebhookEndpointList', description: 'All webhook endpoints' });
const params = paramsOf(webhookEndpointId);

@Controller()
export class WebhookEndpointsController {
  constructor(
    private readonly commands: WebhookCommands,
    private readonly queries: WebhookQueries,
    private readonly receivers: ReceiverRules,
  ) {}

  @Endpoint({
    method: 'GET',
    path: '/api/v1/webhook-endpoints',
    operationId: 'webhookEndpoints.list',
    tag,
    summary: 'List webhook endpoints',
    description: 'Returns all webhook endpoints, newest first.',
    scope: 'webhooks:read',
    response: { status: 200, description: 'The endpoints, without their secrets.', schema: endpoints },
  })
  async list({ caller }: Input): Promise<ResponseOf<typeof endpoints>> {
    return { data: await this.queries.endpoints(caller) };
  }

  @Endpoint({
    method: 'GET',
    path: '/api/v1/webhook-endpoints/:id',
    operationId: 'webhookEndpoints.get',
    tag,
    summary: 'Read a webhook endpoint',
    scope: 'webhooks:read',
    params,
    response: { status: 200, description: 'The endpoint, without its secret.', schema: webhookEndpoint },
  })
  async read({ params: { id }, caller }: IdInput): Promise<ResponseOf<typeof webhookEndpoint>> {
    return mustBeFound(await this.queries.endpoint(caller, id), 'webhook endpoint', id);
  }

  @Endpoint({
    method: 'PATCH',
    path: '/api/v1/webhook-endpoints/:id',
    operationId: 'webhookEndpoints.update',
    tag,
    summary: 'Change a webhook endpoint',
    description:
      'Fields that you omit do not change. A `disabled` endpoint receives no events. After you enable it again, use ' +
      '`recover` to send the missed events.',
    scope: 'webhooks:write',
    params,
    body: endpointChange,
    response: { status: 200, description: 'The changed endpoint.', schema: webhookEndpoint },
  })
  async change(input: IdInput<typeof endpointChange>): Promise<ResponseOf<typeof webhookEndpoint>> {
    const { body, params, caller } = input;
    if (body.url !== undefined) this.receivers.check(body.url, caller);
    const data = { ...body, ...this.commands.fieldsOf(input), endpointId: params.id };
    const command: UpdateEndpoint = { type: 'UpdateEndpoint', data };
    const { answer: changed } = await this.commands.execute<EndpointAnswer>(input, command);
    return changed;
  }

  @Endpoint({
    method: 'DELETE',
    path: '/api/v1/webhook-endpoints/:id',
    operationId: 'webhookEndpoints.delete',
    tag,
    summary: 'Delete a webhook endpoint',
    description:
      'The endpoint receives no further events, and its secrets are deleted. Past events remain in the list of events.',
    scope: 'webhooks:write',
    params,
    response: { status: 204, description: 'The endpoint was deleted.' },
  })
  async delete(input: IdInput): Promise<void> {
    const { accountId, now } = this.commands.fieldsOf(input);
    const command: DeleteEndpoint = { type: 'DeleteEndpoint', data: { accountId, endpointId: input.params.id, now } };
    await this.commands.execute(input, command);
  }
}
