import type { Actor } from '@florin/kernel';
import type { z } from 'zod';
import type { Schema } from './endpoint-definition';
import type { Idempotency } from './idempotency/idempotency';
import type { Caller } from './caller';
import type { idParams } from './schemas';

export type OutputOf<S extends Schema> = S extends z.ZodType ? z.output<S> : undefined;

/** What every request has. */
export interface RequestOrigin {
  readonly requestId: string;
  /** W3C trace context as the client sent it. */
  readonly traceparent?: string;
  /** Who sent it. */
  readonly actor: Actor;
}

/** A request to the operator API, validated. The type parameters are the schemas: `OperatorInput<typeof body>`. */
export interface OperatorInput<
  Body extends Schema = undefined,
  Query extends Schema = undefined,
  Params extends Schema = undefined,
> extends RequestOrigin {
  readonly body: OutputOf<Body>;
  readonly query: OutputOf<Query>;
  readonly params: OutputOf<Params>;
  /** The `Accept` header, for responses with more than one format. */
  readonly accept?: string;
  /** Method and route, for example `GET /api/v1/operations`. */
  readonly endpoint: string;
}

/** A request to the public API, validated and authorized. The type parameters are the schemas: `Input<typeof body>`. */
export interface Input<
  Body extends Schema = undefined,
  Query extends Schema = undefined,
  Params extends Schema = undefined,
> extends OperatorInput<Body, Query, Params> {
  readonly caller: Caller;
  /** Present when the client sent an `Idempotency-Key`; always present if the endpoint requires one. */
  readonly idempotency?: Idempotency;
}

/** Requests to `/things/:id`. */
export type IdInput<Body extends Schema = undefined> = Input<Body, undefined, typeof idParams>;
export type OperatorIdInput<Body extends Schema = undefined> = OperatorInput<Body, undefined, typeof idParams>;
