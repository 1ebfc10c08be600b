import { type AnyEndpoint, type EndpointDefinition, isOperatorEndpoint, type Schema } from '../endpoint-definition';
import type { Content, JsonSchema, Operation, Parameter, Response } from './document-types';
import { errorResponses } from './error-responses';
import { exampleOf } from './example-of';
import type { SchemaComponents } from './schema-components';

export function operationOf(endpoint: AnyEndpoint, components: SchemaComponents): Operation {
  return {
    operationId: endpoint.operationId,
    tags: [endpoint.tag],
    summary: endpoint.summary,
    description: description(endpoint),
    security: security(endpoint),
    parameters: [
      ...parameters('path', endpoint.params, components),
      ...parameters('query', endpoint.query, components),
      ...idempotencyKey(endpoint),
    ],
    requestBody: requestBody(endpoint, components),
    responses: { ...successes(endpoint, components), ...errorResponses(endpoint, components) },
    ...extensions(endpoint),
  };
}

/** `/api/v1/operations/:id` becomes `/api/v1/operations/{id}`. */
export function pathOf({ path }: AnyEndpoint): string {
  return path.replace(/:(\w+)/g, '{$1}');
}

function scopesOf({ scope }: EndpointDefinition): readonly string[] {
  return typeof scope === 'string' ? [scope] : scope;
}

function description(endpoint: AnyEndpoint): string {
  const parts = endpoint.description === undefined ? [] : [endpoint.description];
  if (isOperatorEndpoint(endpoint)) {
    parts.push(`Role: \`${endpoint.role}\`.`);
  } else {
    parts.push(
      `Scope: ${scopesOf(endpoint)
        .map((scope) => `\`${scope}\``)
        .join(' or ')}.`,
    );
    if (endpoint.capability !== undefined) parts.push(`Live requires the activation \`${endpoint.capability}\`.`);
    if (endpoint.sandboxOnly) parts.push('Sandbox only.');
  }
  return parts.join(' ');
}

/** What a request needs and how it is counted, for programs; the description says the same for people. */
function extensions(endpoint: AnyEndpoint): Record<`x-${string}`, unknown> {
  if (isOperatorEndpoint(endpoint)) return { 'x-role': endpoint.role };
  const { capability, sandboxOnly = false, rateLimit = 'default' } = endpoint;
  return {
    // Any one of them is sufficient.
    'x-scopes': scopesOf(endpoint),
    ...(capability !== undefined && { 'x-capability': capability }),
    'x-sandbox-only': sandboxOnly,
    'x-rate-limit': rateLimit,
    ...(endpoint.method === 'POST' && { 'x-idempotency-key': endpoint.idempotency ?? 'optional' }),
  };
}

function security(endpoint: AnyEndpoint): Record<string, readonly string[]>[] {
  return isOperatorEndpoint(endpoint)
    ? [{ operatorToken: [] }]
    : scopesOf(endpoint).map((scope) => ({ apiKey: [scope] }));
}

function parameters(place: 'path' | 'query', schema: Schema, components: SchemaComponents): Parameter[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = components.input(schema);
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: required.includes(name),
    description: property.description ?? components.resolve(property).description,
    // As in `metadata[key]=value`.
    ...(place === 'query' && components.resolve(property).type === 'object' && { style: 'deepObject', explode: true }),
    schema: property,
  }));
}

function idempotencyKey(endpoint: AnyEndpoint): Parameter[] {
  const { idempotency } = endpoint;
  if (!honorsIdempotencyKey(endpoint)) return [];
  return [
    {
      name: 'Idempotency-Key',
      in: 'header',
      required: idempotency === 'required',
      description: 'A unique value for every new request. Send the same value when you repeat a request',
      schema: { type: 'string', minLength: 1, maxLength: 128, pattern: '^[\\x21-\\x7e]+$', examples: ['order-4711'] },
    },
  ];
}

function requestBody({ body }: AnyEndpoint, components: SchemaComponents): Operation['requestBody'] {
  if (body === undefined) return undefined;
  const schema = components.input(body);
  return { required: !body.safeParse({}).success, content: bodyContent(schema, components) };
}

/** With an example of each type, if there are several. */
function bodyContent(schema: JsonSchema, components: SchemaComponents): Content {
  const { mapping } = components.resolve(schema).discriminator ?? {};
  if (mapping === undefined) return jsonContent(schema, components);
  const examples = Object.entries(mapping).map(([type, $ref]) => {
    return [type, { summary: type, value: exampleOf({ $ref }, components.schemas) }] as const;
  });
  return { 'application/json': { schema, examples: Object.fromEntries(examples) } };
}

function honorsIdempotencyKey(endpoint: AnyEndpoint): boolean {
  if (endpoint.method !== 'POST' || endpoint.idempotency === 'items') return false;
  return !isOperatorEndpoint(endpoint) || endpoint.idempotency !== undefined;
}

function successes(endpoint: AnyEndpoint, components: SchemaComponents): Record<string, Response> {
  const { response, proposed } = endpoint;
  const all = proposed === undefined ? [response] : [response, proposed];
  return Object.fromEntries(all.map((each) => [each.status, success({ ...endpoint, response: each }, components)]));
}

function success({ response, ...endpoint }: AnyEndpoint, components: SchemaComponents): Response {
  const content: Content =
    response.schema === undefined ? {} : jsonContent(components.output(response.schema), components, response.example);
  for (const type of response.contentTypes ?? []) content[type] = { schema: { type: 'string' } };
  const headers = { ...response.headers, ...commonHeaders({ ...endpoint, response }) };
  return {
    description: response.description,
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, text]) => [name, { description: text, schema: { type: 'string' } }]),
    ),
    content,
  };
}

function commonHeaders(endpoint: AnyEndpoint): Record<string, string> {
  const headers = { 'X-Request-Id': 'The id that you sent, or a generated one' };
  if (isOperatorEndpoint(endpoint)) return headers;
  return {
    ...headers,
    RateLimit: 'Remaining requests (`r`) and seconds until the full quota is available (`t`)',
    'RateLimit-Policy': 'Allowed requests (`q`) per window of seconds (`w`)',
    ...(honorsIdempotencyKey(endpoint) && {
      'Idempotent-Replayed': '`true` when this is the stored response of an earlier request with the same key',
    }),
  };
}

function jsonContent(schema: JsonSchema, components: SchemaComponents, example?: unknown): Content {
  return { 'application/json': { schema, example: example ?? exampleOf(schema, components.schemas) } };
}
