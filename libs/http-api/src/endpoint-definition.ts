import type { Capability, OperatorRole, Scope } from '@florin/companies-domain';
import type { z } from 'zod';
import type { ApiErrorCode } from './errors/api-error';
import type { RateClass } from './rate-limit/rate-limiter';

export type Schema = z.ZodType | undefined;

/** The part of a definition that both APIs share. Authorization, validation and the OpenAPI document derive from it. */
interface EndpointBasics<Body extends Schema, Query extends Schema, Params extends Schema, Success extends Schema> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The whole path, parameters with a colon: `/api/v1/operations/:id`. */
  readonly path: `/${string}`;
  /** `resource.verb`: the name of the method in clients. It is part of the contract and never changes. */
  readonly operationId: `${string}.${string}`;
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  /** Strict object schemas. Without one, a body other than `{}` or any query parameter is rejected. */
  readonly body?: Body;
  readonly query?: Query;
  readonly params?: Params;
  readonly response: SuccessDefinition<Success>;
  /** The response while a decision waits for a second operator. */
  readonly proposed?: SuccessDefinition<Success>;
  /** 64 KiB by default. */
  readonly maxBodyBytes?: number;
  /** Codes in addition to those that the definition implies. */
  readonly errors?: readonly ApiErrorCode[];
}

export interface SuccessDefinition<Success extends Schema = Schema> {
  readonly status: number;
  readonly description: string;
  readonly schema?: Success;
  /** Formats other than JSON that a client can request with the `Accept` header. */
  readonly contentTypes?: readonly string[];
  /** Response headers by name, with their descriptions. */
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
  /** Additional permissions that depend on the body. Evaluated before validation, so the body can be any JSON value. */
  readonly permissionsOf?: (body: unknown) => Permissions;
  /** Permissions of the items in a body. The request is denied none of them: the endpoint rejects single items. */
  readonly permissionsOfItems?: (body: unknown) => Iterable<Permissions>;
  readonly sandboxOnly?: boolean;
  /** Without this, an `Idempotency-Key` is optional on a POST. `items`: it is ignored, because every item has its own key. */
  readonly idempotency?: 'required' | 'items';
  readonly rateLimit?: RateClass;
}

/** What a request requires. Only the scope applies in the sandbox, which needs no activation and no connected systems. */
export interface Permissions {
  /** The scope that the key must have; any one of several. */
  readonly scope?: Scope | readonly Scope[];
  readonly capability?: Capability;
  /** Requires a connected card issuer. */
  readonly issuer?: boolean;
  /** Requires a connected TRON node. */
  readonly chain?: boolean;
}

export interface OperatorEndpointDefinition<
  Body extends Schema = Schema,
  Query extends Schema = Schema,
  Params extends Schema = Schema,
  Success extends Schema = Schema,
> extends EndpointBasics<Body, Query, Params, Success> {
  readonly operator: true;
  /** The role that an operator needs; an admin may do everything. */
  readonly role: OperatorRole;
  /** Whether a POST honors an `Idempotency-Key`. */
  readonly idempotency?: 'optional';
}

export type AnyEndpoint = EndpointDefinition | OperatorEndpointDefinition;

export function isOperatorEndpoint(endpoint: AnyEndpoint): endpoint is OperatorEndpointDefinition {
  return 'operator' in endpoint;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Absent on routes outside both APIs, such as health checks. */
    endpoint?: AnyEndpoint;
    /** Whether the route needs neither a key nor a token. */
    public?: boolean;
    /** The handler receives the body as unparsed text, because a signature covers its exact bytes. */
    rawBody?: boolean;
  }
}
