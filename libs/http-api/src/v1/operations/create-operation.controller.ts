import { type Order, queuedOperation, type RequestOperation } from '@florin/operations-domain';
import { Controller } from '@nestjs/common';
import { type ResponseOf, response } from '../../api-response';
import { Commands } from '../../commands';
import { Endpoint } from '../../endpoint';
import type { Input } from '../../input';
import { exampleOperation, operation, operationBody, operationPermissions } from './operation-schemas';
import { operationRequest } from './operation-request';

@Controller()
export class CreateOperationController {
  constructor(private readonly commands: Commands) {}

  @Endpoint({
    method: 'POST',
    path: '/api/v1/operations',
    tag: 'Operations',
    summary: 'Issue or top up a card, or order a service',
    description:
      'Reserves the total immediately and processes the operation afterwards: poll it, or wait for its webhook. It ends as ' +
      '`completed` (the funds are captured) or `failed` (the funds are released). If the outcome is unknown, it is in ' +
      '`manual_review` and the funds stay reserved. `issue` and `topup` require `cards:write`; `service` requires ' +
      '`services:write` and, in live, the activation `services`.',
    scope: ['cards:write', 'services:write'],
    permissionsOf: operationPermissions,
    idempotency: 'required',
    body: operationBody,
    response: {
      status: 201,
      description: 'The operation is queued and its total is reserved.',
      schema: operation,
      headers: { Location: 'The path of the operation' },
      example: { ...exampleOperation, status: 'queued', result: {} },
    },
    errors: [
      ...(['not_found', 'product_unavailable', 'quote_changed', 'amount_below_minimum', 'holder_not_active'] as const),
      ...(['card_not_active', 'quota_exceeded', 'insufficient_funds'] as const),
    ],
  })
  async create(input: Input<typeof operationBody>): Promise<ResponseOf<typeof operation>> {
    const { body, caller, idempotency } = input;
    const { commandId: operationId, fingerprint } = idempotency!;
    const request = operationRequest(caller, body);
    const command: RequestOperation = {
      type: 'RequestOperation',
      data: { operationId, fingerprint, expectedTotal: body.expectedTotal, ...request },
    };
    const { answer: order, repeated } = await this.commands.execute<Order>(input, {
      context: 'operations',
      key: request.accountId,
      id: operationId,
      command,
    });
    // A repeat gets the first response, even if the operation has advanced since.
    const headers = { location: `/api/v1/operations/${operationId}` };
    return response(201, queuedOperation(order), { headers, replayed: repeated });
  }
}
