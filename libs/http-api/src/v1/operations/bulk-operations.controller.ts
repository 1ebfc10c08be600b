import { accountIdOf } from '@florin/ledger-domain';
import { randomId } from '@florin/kernel';
import type { RequestOperations } from '@florin/operations-domain';
import { Controller, Inject } from '@nestjs/common';
import { z } from 'zod';
import { bulkBodyLimitBytes } from '../../body-size';
import { Commands } from '../../commands';
import { documentedAs } from '../../documented-schema';
import { ApiResponse, Endpoint, type Input, type ResponseOf } from '../../endpoint';
import { ApiError } from '../../errors/api-error';
import { HTTP_API_OPTIONS, type HttpApiOptions } from '../../http-api-options';
import { maxBulkOperations } from '../../rate-limit/request-costs';
import { RateLimiter } from '../../rate-limit/rate-limiter';
import {
  type AcceptedItem,
  type BulkItem,
  type BulkReply,
  permissionsOfItems,
  readItems,
  resultOf,
} from './bulk-items';
import { bulkItem, exampleOperation, operation } from './operation-schemas';

const size = `must be a list of 1 to ${maxBulkOperations} operations`;
const body = z
  .strictObject({
    operations: z
      .array(documentedAs(bulkItem), { error: size })
      .min(1, { error: size })
      .max(maxBulkOperations, { error: size })
      .meta({ description: 'Each with its own `idempotencyKey`' }),
  })
  .meta({ id: 'BulkOperationsCreation', description: 'A list of new operations' });

const result = z
  .strictObject({
    idempotencyKey: z
      .string()
      .optional()
      .meta({ description: 'As sent; absent if it is not valid', examples: ['order-4711'] }),
    status: z
      .int()
      .min(200)
      .max(599)
      .meta({ description: 'The HTTP status that the operation would have had alone', examples: [201] }),
    replayed: z
      .literal(true)
      .optional()
      .meta({ description: 'Present if this is the stored outcome of an earlier request with the same key' }),
    operation: operation.optional().meta({ description: 'Present if the status is 201' }),
    error: z.unknown().meta({ $ref: '#/components/schemas/Error' }).optional(),
  })
  .meta({ id: 'BulkResult', description: 'The outcome of an operation: `operation` or `error`' });
const results = z
  .strictObject({
    results: z.array(result).meta({ description: 'One for each of the operations, in the same order' }),
  })
  .meta({ id: 'BulkResults', description: 'The outcomes of a bulk request' });

@Controller()
export class BulkOperationsController {
  constructor(
    private readonly commands: Commands,
    private readonly limiter: RateLimiter,
    @Inject(HTTP_API_OPTIONS) private readonly options: HttpApiOptions,
  ) {}

  @Endpoint({
    method: 'POST',
    path: '/api/v1/operations/bulk',
    operationId: 'operations.createMany',
    tag: 'Operations',
    summary: `Request up to ${maxBulkOperations} operations`,
    description:
      'Takes a list of operations, and requests each of them as if it were sent alone to `POST /api/v1/operations`, in this order: ' +
      'each has its own idempotency key, permissions, status and error, and the rejection of one does not affect another. A key identifies the ' +
      'same operation, alone or in a list. Within a list, a second item with the same key and body has the outcome of the first, and one ' +
      'with another body is `idempotency_conflict`. If you get no response, or one with another status than 200, send the same list again: ' +
      'operations that were accepted are not requested twice. The body may have 256 KiB. Operations in lists have their own rate ' +
      'limit, `bulk`.',
    scope: ['cards:write', 'services:write'],
    permissionsOfItems,
    idempotency: 'items',
    rateLimit: 'bulk',
    maxBodyBytes: bulkBodyLimitBytes,
    body,
    response: {
      status: 200,
      description: 'The outcome of every operation.',
      schema: results,
      example: exampleResults(),
    },
  })
  async create(input: Input<typeof body>): Promise<ResponseOf<typeof results>> {
    const { caller, requestId } = input;
    const { operations } = input.body;
    const limit = this.limiter.countBulk(caller, operations.length);
    if (limit?.refusal !== undefined) throw limit.refusal;
    const items = readItems(operations, caller, this.options);
    const outcomes = await this.request(input, items);
    const headers = limit && { ratelimit: limit.headers.remaining };
    return new ApiResponse(
      { results: outcomes.map((outcome, index) => shown(items[index]!, outcome, requestId)) },
      { headers },
    );
  }

  /** One command for all valid items, so that their funds are reserved together. */
  private async request(input: Input<typeof body>, items: readonly BulkItem[]): Promise<Outcome[]> {
    const valid = items.flatMap((item) => ('request' in item ? [item] : []));
    const { companyId, companyKind, environment } = input.caller;
    const accountId = accountIdOf(companyId, environment);
    const requests = valid.map(({ request }) => request);
    const data = { companyId, companyKind, environment, accountId, requests };
    const command: RequestOperations = { type: 'RequestOperations', data };
    const message = { context: 'operations', key: accountId, id: randomId(), command };
    const replies =
      valid.length === 0 ? [] : (await this.commands.execute<readonly BulkReply[]>(input, message)).answer;
    const outcomes: Outcome[] = [];
    let replied = 0;
    for (const item of items) {
      if ('error' in item) outcomes.push(item.error);
      else if ('repeats' in item) outcomes.push(repeated(outcomes[item.repeats]!));
      else outcomes.push(resultOf(item, replies[replied++]!));
    }
    return outcomes;
  }
}

type Outcome = ApiError | AcceptedItem;

function repeated(outcome: Outcome): Outcome {
  return outcome instanceof ApiError ? outcome : { operation: outcome.operation, replayed: true };
}

function shown({ key }: Pick<BulkItem, 'key'>, outcome: Outcome, requestId: string): z.output<typeof result> {
  const idempotencyKey = key === undefined ? undefined : { idempotencyKey: key };
  if (outcome instanceof ApiError) {
    const { statusCode, message, code } = outcome;
    return { ...idempotencyKey, status: statusCode, error: { statusCode, message, code, requestId } };
  }
  const { operation: accepted, replayed } = outcome;
  return { ...idempotencyKey, status: 201, ...(replayed && { replayed }), operation: accepted };
}

function exampleResults() {
  const message = '103.20 is needed and 50.00 is available; fund the account first';
  const error = {
    statusCode: 400,
    message,
    code: 'insufficient_funds',
    requestId: '7c1d6b3e-6f0a-4c39-9a2e-0b8f4f5d2a11',
  };
  return {
    results: [
      { idempotencyKey: 'order-4711', status: 201, operation: { ...exampleOperation, status: 'queued', result: {} } },
      { idempotencyKey: 'order-4712', status: 400, error },
    ],
  };
}
