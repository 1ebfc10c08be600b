import type { CommandReply } from '@florin/event-sourcing';
import { idempotencyConflict } from '@florin/kernel';
import {
  type BulkRequestRefusal,
  type OperationObject,
  type Order,
  queuedOperation,
  type RequestOperations,
} from '@florin/operations-domain';
import type { z } from 'zod';
import { denialOfRequest, type LiveConnections } from '../../auth/permissions';
import type { Caller } from '../../caller';
import { errorOf } from '../../commands';
import type { Permissions } from '../../endpoint-definition';
import { ApiError, validationFailed } from '../../errors/api-error';
import { idempotencyOf, isIdempotencyKey, requireItemKey } from '../../idempotency/idempotency';
import { parse } from '../../parse';
import { operationPermissions } from './operation-permissions';
import { operationRequest } from './operation-request';
import { operationBody } from './operation-schemas';

type Request = RequestOperations['data']['requests'][number];
type Body = z.output<typeof operationBody>;
export type BulkReply = CommandReply<Order, BulkRequestRefusal>;

/** The key is absent if it is invalid. */
export type BulkItem =
  | { readonly key?: string; readonly error: ApiError }
  | { readonly key: string; readonly body: Body; readonly request: Request }
  /** The same key and body as an earlier item. */
  | { readonly key: string; readonly repeats: number };

/** The endpoint for which the keys are valid: a key identifies the same operation, alone or in a bulk request. */
const endpoint = 'POST /api/v1/operations';

export function permissionsOfItems(body: unknown): ReadonlySet<Permissions> {
  const items = (body as { readonly operations?: unknown } | null | undefined)?.operations;
  return new Set(Array.isArray(items) ? items.map(operationPermissions) : []);
}

/** Validates every item as if it were sent alone. */
export function readItems(items: readonly unknown[], caller: Caller, live: LiveConnections): readonly BulkItem[] {
  const firstOf = new Map<string, { readonly index: number; readonly fingerprint: string }>();
  return items.map((item, index) => {
    const read = readItem(item, caller, live);
    if (!('request' in read)) return read;
    const { operationId, fingerprint } = read.request;
    const first = firstOf.get(operationId);
    if (first === undefined) {
      firstOf.set(operationId, { index, fingerprint });
      return read;
    }
    if (first.fingerprint === fingerprint) return { key: read.key, repeats: first.index };
    const { refused, message } = idempotencyConflict();
    return { key: read.key, error: new ApiError(refused, message) };
  });
}

function readItem(item: unknown, caller: Caller, live: LiveConnections): BulkItem {
  const { idempotencyKey, ...fields } = (item ?? {}) as Readonly<Record<string, unknown>>;
  try {
    // In the order of the checks of a single request.
    const denial = denialOfRequest(caller, operationPermissions(item), live);
    if (denial !== undefined) throw denial;
    if (typeof item !== 'object' || item === null || Array.isArray(item)) throw notAnObject();
    requireItemKey(idempotencyKey);
    const body = parse(operationBody, fields, 'field');
    return { key: idempotencyKey, body, request: requestOf(caller, idempotencyKey, body) };
  } catch (error) {
    if (error instanceof ApiError) return { key: isIdempotencyKey(idempotencyKey) ? idempotencyKey : undefined, error };
    throw error;
  }
}

function notAnObject(): ApiError {
  return validationFailed('Each of operations must be a JSON object.');
}

function requestOf(caller: Caller, key: string, body: Body): Request {
  const sender = [caller.companyId, caller.environment] as const;
  const { commandId: operationId, fingerprint } = idempotencyOf(sender, endpoint, key, body);
  const { type, productId, amount, holderId, cardId, name, recipient } = operationRequest(caller, body);
  const { expectedTotal, metadata } = body;
  const subject = { productId, holderId, cardId, name, recipient };
  return { operationId, fingerprint, type, amount, expectedTotal, metadata, ...subject };
}

/** What the item would have returned alone. */
export function resultOf({ body }: { readonly body: Body }, reply: BulkReply): ApiError | AcceptedItem {
  if (!reply.ok) {
    const error = errorOf(reply.refusal, { type: 'RequestOperations' });
    if (error instanceof ApiError) return error;
    throw error;
  }
  // As for a single request: a repeat gets the first response, and the reply may have no metadata.
  return { operation: queuedOperation({ ...reply.answer, metadata: body.metadata }), replayed: reply.repeated };
}

export interface AcceptedItem {
  readonly operation: OperationObject;
  readonly replayed: boolean;
}
