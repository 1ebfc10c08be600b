import { type Order, queuedOperation, type RequestOperation } from '@florin/operations-domain';
import { OperationQueries } from '@florin/read-models';
import { Controller } from '@nestjs/common';
import { z } from 'zod';
import { requireScope } from '../../auth/permissions';
import { Commands } from '../../commands';
import { ApiResponse, Endpoint, type IdInput, type Input, type ResponseOf } from '../../endpoint';
import { mustBeFound } from '../../must-exist';
import { byCreation, Cursors, pageOf, pageQuery } from '../../pages';
import { cardId, operationId, paramsOf } from '../../ids';
import { metadataFilter, timestampInput } from '../../schemas';
import { operationPermissions, writeScopes } from './operation-permissions';
import { operationRequest } from './operation-request';
import { exampleOperation, operation, operationBody, operationStatus, operationType } from './operation-schemas';

const tag = 'Operations';

const filters = z.strictObject({
  ...pageQuery,
  type: operationType.optional().meta({ description: 'Only operations of this type' }),
  status: operationStatus.optional().meta({ description: 'Only operations with this status' }),
  cardId: cardId.optional().meta({ description: 'Only operations that issued, topped up or unloaded this card' }),
  metadata: metadataFilter.optional(),
  createdFrom: timestampInput.optional().meta({ description: 'Only operations created at this time or later' }),
  createdTo: timestampInput.optional().meta({ description: 'Only operations created at this time or earlier' }),
});
const operations = pageOf('OperationPage', operation);

@Controller()
export class OperationsController {
  constructor(
    private readonly commands: Commands,
    private readonly queries: OperationQueries,
    private readonly cursors: Cursors,
  ) {}

  @Endpoint({
    method: 'POST',
    path: '/api/v1/operations',
    operationId: 'operations.create',
    tag,
    summary: 'Issue, top up or unload a card, or order a service',
    description:
      'Reserves the total immediately and processes the operation afterwards: poll it, or wait for its webhook. It ends as ' +
      '`completed` (the funds are captured) or `failed` (the funds are released). If the outcome is unknown, it is in ' +
      '`manual_review` and the funds stay reserved. An `unload` reserves its amount on the card instead, and credits it to the ' +
      'account on completion; it has no fee. `issue`, `topup` and `unload` require `cards:write`; `service` requires ' +
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
      ...(['card_not_active', 'insufficient_card_balance', 'quota_exceeded', 'insufficient_funds'] as const),
    ],
  })
  async create(input: Input<typeof operationBody>): Promise<ResponseOf<typeof operation>> {
    const { body, caller, idempotency } = input;
    const { commandId: operationId, fingerprint } = idempotency!;
    const request = operationRequest(caller, body);
    const command: RequestOperation = {
      type: 'RequestOperation',
      data: { operationId, fingerprint, expectedTotal: body.expectedTotal, metadata: body.metadata, ...request },
    };
    const { answer: order, repeated } = await this.commands.execute<Order>(input, {
      context: 'operations',
      key: request.accountId,
      id: operationId,
      command,
    });
    const headers = { location: `/api/v1/operations/${operationId}` };
    // A repeat gets the first response, even if the operation has advanced since. The reply may have no metadata.
    return new ApiResponse(queuedOperation({ ...order, metadata: body.metadata }), { headers, replayed: repeated });
  }

  @Endpoint({
    method: 'GET',
    path: '/api/v1/operations',
    operationId: 'operations.list',
    tag,
    summary: 'List operations',
    description: 'Returns operations, newest first.',
    scope: 'operations:read',
    query: filters,
    response: { status: 200, description: 'A page of operations.', schema: operations },
  })
  list(input: Input<undefined, typeof filters>): Promise<ResponseOf<typeof operations>> {
    return this.cursors.readPage(input, byCreation, (wanted, page) => this.queries.list(input.caller, wanted, page));
  }

  @Endpoint({
    method: 'GET',
    path: '/api/v1/operations/:id',
    operationId: 'operations.get',
    tag,
    summary: 'Read an operation',
    description:
      'A key that could have created the operation may read it, too: `services:write` a service, for example.',
    scope: ['operations:read', 'cards:write', 'services:write'],
    params: paramsOf(operationId),
    response: { status: 200, description: 'The current state of the operation.', schema: operation },
  })
  async read({ params: { id }, caller }: IdInput): Promise<ResponseOf<typeof operation>> {
    const found = mustBeFound(await this.queries.find(caller, id), 'operation', id);
    requireScope(caller, ['operations:read', writeScopes[found.type]]);
    return found;
  }
}
