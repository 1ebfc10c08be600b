import { type AnyEndpoint, isOperatorEndpoint } from '../endpoint-definition';
import { type ApiErrorCode, statusOfCode } from '../errors/api-error';
import type { JsonSchema, Response } from './document-types';

const meanings: Readonly<Record<number, string>> = {
  400: 'The request is malformed, or a business rule rejects it',
  401: 'The key is missing, unknown, expired or revoked',
  403: 'Verification, scope, role or activation is missing',
  404: 'Not found in this company and environment',
  405: 'The path has no such method',
  408: 'The request was not received completely in time',
  409: 'The request conflicts with an earlier one, or the price has changed',
  415: 'The encoding of the body is not supported',
  429: 'Too many requests',
  500: 'An unexpected server error',
  503: 'Temporarily unavailable',
};

export const errorSchema: JsonSchema = {
  type: 'object',
  properties: {
    statusCode: { type: 'integer', description: 'The HTTP status' },
    message: { type: 'string', description: 'What is wrong and what to do, for people' },
    code: { type: 'string', enum: Object.keys(statusOfCode), description: 'The error code, for programs' },
    requestId: { type: 'string', description: 'Also in the header X-Request-Id. Include it when you contact support' },
  },
  required: ['statusCode', 'message', 'code', 'requestId'],
  additionalProperties: false,
};

/** All error responses of an endpoint: those that it declares, and those that its definition implies. */
export function errorResponses(endpoint: AnyEndpoint): Record<string, Response> {
  const byStatus = new Map<number, Set<ApiErrorCode>>();
  for (const code of [...impliedCodes(endpoint), ...(endpoint.errors ?? [])]) {
    const status = statusOfCode[code];
    byStatus.set(status, (byStatus.get(status) ?? new Set()).add(code));
  }
  const statuses = [...byStatus].sort(([a], [b]) => a - b);
  return Object.fromEntries(statuses.map(([status, codes]) => [status, errorResponse(status, [...codes])]));
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
  if (endpoint.method !== 'GET') codes.push('unsupported_media_type');
  if (isOperatorEndpoint(endpoint)) return codes;
  codes.push('verification_required', 'rate_limited');
  if (endpoint.capability ?? endpoint.permissionsOf) codes.push('capability_inactive');
  if (endpoint.sandboxOnly) codes.push('sandbox_only');
  if (endpoint.method === 'POST') codes.push('idempotency_conflict');
  return codes;
}

function errorResponse(status: number, codes: readonly ApiErrorCode[]): Response {
  const description = `${meanings[status] ?? 'Error'}: ${codes.map((code) => `\`${code}\``).join(', ')}`;
  const example = { statusCode: status, message: `${meanings[status]}.`, code: codes[0], requestId: exampleRequestId };
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/Error' }, example } };
  return status === 429 || status === 503 ? { description, headers: retryAfter, content } : { description, content };
}

const exampleRequestId = '7c1d6b3e-6f0a-4c39-9a2e-0b8f4f5d2a11';

const retryAfter = {
  'Retry-After': { description: 'Seconds to wait before repeating the request', schema: { type: 'integer' } },
} as const;
