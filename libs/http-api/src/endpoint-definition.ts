import type { Capability, Scope } from '@florin/companies-domain';
import type { z } from 'zod';
import type { ApiErrorCode } from './errors/api-error';

export type Schema = z.ZodType | undefined;

/** What both APIs say about an endpoint. The gate, the validation and the reference are all made from it. */
interface EndpointBasics<Body extends Schema, Query extends Schema, Params extends Schema, Success extends Schema> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The whole path, parameters with a colon: `/api/v1/operations/:id`. */
  readonly path: `/${string}`;
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  /** Strict object schemas. Where one is absent, a body (beyond `{}`) or any query parameter is refused. */
  readonly body?: Body;
  readonly query?: Query;
  readonly params?: Params;
  readonly answers: SuccessDefinition<Success>;
  /** Codes beyond those that the definition implies by itself. */
  readonly errors?: readonly ApiErrorCode[];
}

export interface SuccessDefinition<Success extends Schema = Schema> {
  readonly status: number;
  readonly description: string;
  readonly schema?: Success;
  /** Other formats than JSON that the `Accept` header can choose. */
  readonly contentTypes?: readonly string[];
  /** Names of answer headers with what they tell. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly example?: unknown;
}

export interface EndpointDefinition<
  Body extends Schema = Schema,
  Query extends Schema = Schema,
  Params extends Schema = Schema,
  Success extends Schema = Schema,
>
  extends EndpointBasics<Body, Query, Params, Success>, Permissions {
  readonly scope: Scope | readonly Scope[];
  /** What a request needs besides, as its body tells. It is asked before the shape is checked: the body can be anything. */
  readonly permissionsOf?: (body: unknown) => Permissions;
  readonly sandboxOnly?: boolean;
  /** Without this, an `Idempotency-Key` is honoured on every POST but need not be sent. */
  readonly idempotency?: 'required';
  readonly rateLimit?: 'default' | 'statements';
}

/** What a request needs of the key and, in live only, of the company and of us: the sandbox has everything of its own. */
export interface Permissions {
  /** The scope that the key must have; of several, any one. */
  readonly scope?: Scope | readonly Scope[];
  readonly capability?: Capability;
  /** An issuer has to be connected. */
  readonly issuer?: boolean;
  /** The chain on which payments arrive has to be connected. */
  readonly chain?: boolean;
}

export interface OperatorEndpointDefinition<
  Body extends Schema = Schema,
  Query extends Schema = Schema,
  Params extends Schema = Schema,
  Success extends Schema = Schema,
> extends EndpointBasics<Body, Query, Params, Success> {
  readonly operator: true;
}

export type AnyEndpoint = EndpointDefinition | OperatorEndpointDefinition;

export function isOperatorEndpoint(endpoint: AnyEndpoint): endpoint is OperatorEndpointDefinition {
  return 'operator' in endpoint;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Absent on routes that are not part of either API, such as health checks. */
    endpoint?: AnyEndpoint;
    /** Whoever serves the route gets the body as text, to the letter: a signature covers every byte of it. */
    rawBody?: boolean;
  }
}
