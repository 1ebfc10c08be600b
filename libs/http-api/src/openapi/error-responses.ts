import { type AnyEndpoint, isOperatorEndpoint } from '../endpoint-definition';
import { type ApiErrorCode, statusOfCode } from '../errors/api-error';
import { errorExplanations } from '../errors/error-explanations';
import { exampleIds } from '../ids';
import type { JsonSchema, Reference, Response } from './document-types';
import type { SchemaComponents } from './schema-components';

const meanings: Readonly<Record<number, string>> = {
  400: 'The request is malformed, or a business rule rejects it',
  401: 'The key is missing, unknown, expired or revoked',
  403: 'Verification, scope, role or activation is missing',
  404: 'Not found in this company and environment',
  408: 'The request was not received completely in time',
  409: 'The request conflicts with an earlier one, or the price has changed',
  415: 'The encoding of the body is not supported',
  429: 'Too many requests',
  500: 'An unexpected server error',
  503: 'Temporarily unavailable',
};

/** The responses that are the same for all endpoints. */
const sharedNames: Readonly<Record<number, string>> = {
  401: 'Unauthorized',
  404: 'NotFound',
  408: 'RequestTimeout',
  415: 'UnsupportedMediaType',
  429: 'TooManyRequests',
  500: 'InternalServerError',
  503: 'ServiceUnavailable',
};

const errorCodes = Object.keys(statusOfCode) as ApiErrorCode[];

/** The schemas of every error body. */
export const errorSchemas: Readonly<Record<string, JsonSchema>> = {
  ErrorCode: {
    type: 'string',
    enum: errorCodes,
    description: 'The error code, for programs. New codes can be added',
    'x-enumDescriptions': Object.fromEntries(errorCodes.map((code) => [code, explanationOf(code)])),
  },
  Error: {
    type: 'object',
    description: 'The body of every error',
    properties: {
      statusCode: { type: 'integer', format: 'int32', description: 'The HTTP status', examples: [400] },
      message: { type: 'string', description: 'What is wrong and what to do, for people. The wording can change' },
      code: { $ref: '#/components/schemas/ErrorCode' },
      requestId: {
        type: 'string',
        description: 'Also in the header X-Request-Id. Include it when you contact support',
        examples: [exampleIds.storedEvent],
      },
    },
    required: ['statusCode', 'message', 'code', 'requestId'],
    additionalProperties: false,
  },
};

/** All error responses of an endpoint: those that it declares, and those that its definition implies. */
export function errorResponses(
  endpoint: AnyEndpoint,
  { responses }: SchemaComponents,
): Record<string, Response | Reference> {
  const byStatus = new Map<number, Set<ApiErrorCode>>();
  for (const code of [...impliedCodes(endpoint), ...(endpoint.errors ?? [])]) {
    const status = statusOfCode[code];
    byStatus.set(status, (byStatus.get(status) ?? new Set()).add(code));
  }
  const statuses = [...byStatus].sort(([a], [b]) => a - b);
  return Object.fromEntries(
    statuses.map(([status, codes]) => {
      const name = sharedNames[status];
      if (name === undefined) return [status, errorResponse(status, [...codes])];
      responses[name] ??= errorResponse(status, [...codes]);
      return [status, { $ref: `#/components/responses/${name}` }];
    }),
  );
}

function impliedCodes(endpoint: AnyEndpoint): ApiErrorCode[] {
  const codes: ApiErrorCode[] = [
    'validation_failed',
    'invalid_key',
    'internal_error',
    'unavailable',
    'event_store_mismatch',
  ];
  if (endpoint.params !== undefined) codes.push('not_found');
  codes.push('scope_missing');
  if (endpoint.method !== 'GET') codes.push('unsupported_media_type', 'request_timeout');
  if (isOperatorEndpoint(endpoint)) return codes;
  codes.push('verification_required', 'rate_limited');
  if (endpoint.capability ?? endpoint.permissionsOf) codes.push('capability_inactive');
  if (endpoint.sandboxOnly) codes.push('sandbox_only');
  if (endpoint.method === 'POST' && endpoint.idempotency !== 'items') codes.push('idempotency_conflict');
  return codes;
}

function errorResponse(status: number, codes: readonly ApiErrorCode[]): Response {
  const lines = codes.map((code) => `- \`${code}\`: ${explanationOf(code)}`);
  const description = [`${meanings[status] ?? 'Error'}:`, '', ...lines].join('\n');
  const examples = Object.fromEntries(codes.map((code) => [code, exampleOf(status, code)]));
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/Error' }, examples } };
  return status === 429 || status === 503 ? { description, headers: retryAfter, content } : { description, content };
}

/** What the code means, and what to do. */
export function explanationOf(code: ApiErrorCode): string {
  const { meaning, remedy } = errorExplanations[code];
  return `${meaning} ${remedy}`;
}

function exampleOf(statusCode: number, code: ApiErrorCode) {
  const value = { statusCode, message: explanationOf(code), code, requestId: exampleIds.storedEvent };
  return { summary: errorExplanations[code].meaning, value };
}

const retryAfter = {
  'Retry-After': {
    description: 'Seconds to wait before repeating the request',
    schema: { type: 'integer', format: 'int32', minimum: 0 },
  },
} as const;
