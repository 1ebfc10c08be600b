import { ConfigurationError, type FailedRequest } from './errors';
import type { Configuration, RequestOptions } from './options';

export interface Input {
  /** Replaces `{id}` in the path. */
  readonly id?: string;
  readonly query?: object;
  readonly body?: unknown;
  /** `application/json` by default. */
  readonly accept?: string;
}

/** A request with everything that all its attempts share. */
export interface PreparedRequest {
  readonly method: string;
  readonly route: string;
  readonly path: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly idempotencyKey?: string;
  readonly timeoutMs: number;
  readonly maxRetries: number;
  readonly signal?: AbortSignal;
}

export function prepare(
  configuration: Configuration,
  method: string,
  route: string,
  { id, query, body, accept = 'application/json' }: Input,
  options: RequestOptions = {},
): PreparedRequest {
  const path = pathOf(route, id);
  const idempotencyKey = method === 'post' ? (options.idempotencyKey ?? randomKey()) : undefined;
  return {
    ...{ method: method.toUpperCase(), route, path, url: `${configuration.baseUrl}${path}${queryOf(query)}` },
    headers: {
      accept,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      ...(options.requestId !== undefined && { 'x-request-id': options.requestId }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    timeoutMs: options.timeoutMs ?? configuration.timeoutMs,
    maxRetries: options.maxRetries ?? configuration.maxRetries,
    ...(options.signal && { signal: options.signal }),
  };
}

/** What an error says about the request. */
export function failedRequest({ method, path, idempotencyKey }: PreparedRequest, attempts: number): FailedRequest {
  return { method, path, attempts, ...(idempotencyKey !== undefined && { idempotencyKey }) };
}

/** An empty id would request another path, for example the list. */
function pathOf(route: string, id: string | undefined): string {
  if (!route.includes('{id}')) return route;
  if (typeof id !== 'string' || id === '') throw new ConfigurationError(`The id for ${route} is missing.`);
  return route.replace('{id}', encodeURIComponent(id));
}

/** Objects become `metadata[key]=value`. */
function queryOf(query: object = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query) as [string, unknown][]) {
    if (value === undefined || value === null) continue;
    if (typeof value !== 'object') parameters.append(name, String(value));
    else for (const [key, inner] of Object.entries(value)) parameters.append(`${name}[${key}]`, String(inner));
  }
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}

/** 128 random bits. `crypto.randomUUID` does not exist on pages without TLS. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `sdk-${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
