import { Controller } from '@nestjs/common';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { z } from 'zod';
import { Endpoint, type ResponseOf } from '../endpoint';
import { cardId, paramsOf } from '../ids';
import { amount, cursor, date, limit, money, timestamp } from '../schemas';
import { errorCodesOf, responsesOf, targetOf } from '../testing/api-document';
import { startTestApp, type TestApp } from '../testing/test-app';
import { eventTypes, webhookEvent } from '../v1/events/event-schemas';
import type { OpenApiDocument, Operation } from './document-types';
import { SchemaComponents } from './schema-components';

const thing = z
  .strictObject({ id: cardId, total: money, createdAt: timestamp, note: z.string().nullable() })
  .meta({ id: 'Thing' });
const page = z.strictObject({ data: z.array(thing), nextCursor: z.string().optional() });
const creation = z.strictObject({ amount, kind: z.enum(['big', 'small']), from: date.optional() });
const filters = z.strictObject({ limit: limit.optional(), cursor: cursor.optional(), from: date });

@Controller()
class ThingsController {
  @Endpoint({
    method: 'POST',
    path: '/api/v1/things',
    operationId: 'things.create',
    tag: 'Things <&>',
    summary: 'Make a <thing>',
    description: 'It may be `big`.',
    scope: ['cards:write', 'services:write'],
    capability: 'services',
    idempotency: 'required',
    body: creation,
    response: { status: 201, description: 'The thing.', schema: thing, headers: { Location: 'Where it is' } },
    errors: ['insufficient_funds'],
  })
  async make(): Promise<ResponseOf<typeof thing>> {
    throw new Error('Not called');
  }

  @Endpoint({
    method: 'GET',
    path: '/api/v1/things',
    operationId: 'things.list',
    tag: 'Things <&>',
    summary: 'List things',
    scope: 'cards:read',
    query: filters,
    response: { status: 200, description: 'A page.', schema: page, contentTypes: ['text/csv'] },
  })
  async list(): Promise<ResponseOf<typeof page>> {
    return { data: [] };
  }

  @Endpoint({
    method: 'POST',
    path: '/api/v1/sandbox/things/:id/complete',
    operationId: 'sandbox.completeThing',
    tag: 'Sandbox',
    summary: 'Complete a thing',
    scope: 'cards:write',
    sandboxOnly: true,
    params: paramsOf(cardId),
    response: { status: 200, description: 'Done.' },
  })
  async complete(): Promise<object> {
    return {};
  }
}

let test: TestApp;
let document: OpenApiDocument;
let operatorDocument: OpenApiDocument;

beforeAll(async () => {
  test = await startTestApp({ controllers: [ThingsController] });
  document = (await test.app.inject({ url: '/api/v1/openapi.json' })).json();
  operatorDocument = (await test.app.inject({ url: '/operator/v1/openapi.json' })).json();
});

afterAll(() => test.app.close());

const operations = ({ paths }: OpenApiDocument): [string, string, Operation][] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, string, Operation] => [path, method, operation]),
  );

/** Every value under a key of this name, at any depth. */
function valuesOf(key: string, value: unknown): unknown[] {
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([name, inner]) => [...(name === key ? [inner] : []), ...valuesOf(key, inner)]);
}

describe.each([
  ['public', () => document],
  ['operator', () => operatorDocument],
])('The %s document', (_name, get) => {
  it('is OpenAPI 3.1, version 1.1.0', () => {
    expect(get()).toMatchObject({
      openapi: '3.1.0',
      info: { version: '1.1.0' },
      servers: [{ url: 'https://florin.example' }],
    });
    expect(operations(get()).length).toBeGreaterThan(2);
  });

  it('has no unresolved $ref', () => {
    const references = valuesOf('$ref', get()) as string[];
    expect(references.length).toBeGreaterThan(0);
    expect(references.filter((reference) => targetOf(get(), reference) === undefined)).toEqual([]);
    expect(JSON.stringify(get())).not.toContain('$defs');
  });

  it('gives every operation a unique id, security, tags and a success response', () => {
    const all = operations(get());
    expect(new Set(all.map(([, , { operationId }]) => operationId)).size).toBe(all.length);
    const tags = get().tags.map(({ name }) => name);
    for (const [, , operation] of all) {
      for (const requirement of operation.security) {
        for (const scheme of Object.keys(requirement))
          expect(get().components.securitySchemes).toHaveProperty([scheme]);
      }
      expect(operation.security.length).toBeGreaterThan(0);
      expect(tags).toEqual(expect.arrayContaining([...operation.tags]));
      expect(Object.keys(operation.responses).some((status) => status.startsWith('2'))).toBe(true);
    }
  });

  it('describes every path parameter and writes it in braces', () => {
    for (const [path, , { parameters }] of operations(get())) {
      const inPath = parameters.filter((parameter) => parameter.in === 'path');
      expect([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)).toEqual(inPath.map(({ name }) => name));
      expect(inPath.every(({ required }) => required)).toBe(true);
      expect(path).not.toContain(':');
    }
  });

  it('gives every error the same body', () => {
    for (const [, , each] of operations(get())) {
      const errors = Object.entries(responsesOf(get(), each)).filter(([status]) => Number(status) >= 400);
      expect(errors.map(([status]) => status)).toEqual(expect.arrayContaining(['400', '401', '500', '503']));
      for (const [status, { content }] of errors) {
        const { schema, examples } = content!['application/json']!;
        expect(schema).toEqual({ $ref: '#/components/schemas/Error' });
        for (const [code, { value }] of Object.entries(examples!)) {
          expect(value).toMatchObject({ statusCode: Number(status), code });
        }
      }
    }
  });
});

describe('The public document', () => {
  const operation = (path: string, method: string): Operation => document.paths[path]![method]!;

  it('describes exactly the public endpoints', () => {
    expect(operations(document).map(([path, method]) => `${method} ${path}`)).toEqual([
      'post /api/v1/sandbox/things/{id}/complete',
      'post /api/v1/things',
      'get /api/v1/things',
    ]);
  });

  it('lists the scopes as alternatives', () => {
    const make = operation('/api/v1/things', 'post');
    expect(make.security).toEqual([{ apiKey: ['cards:write'] }, { apiKey: ['services:write'] }]);
    expect(make.description).toBe(
      'It may be `big`. Scope: `cards:write` or `services:write`. Live requires the activation `services`.',
    );
  });

  it('lists scopes, idempotency and limits in extensions', () => {
    expect(operation('/api/v1/things', 'post')).toMatchObject({
      'x-scopes': ['cards:write', 'services:write'],
      'x-capability': 'services',
      'x-sandbox-only': false,
      'x-rate-limit': 'default',
      'x-idempotency-key': 'required',
    });
    expect(operation('/api/v1/sandbox/things/{id}/complete', 'post')).toMatchObject({
      'x-sandbox-only': true,
      'x-idempotency-key': 'optional',
    });
    expect(document.components.securitySchemes['apiKey']).toHaveProperty(['x-scopes', 'cards:write']);
  });

  it('explains every error code with a remedy', () => {
    const { description } = responsesOf(document, operation('/api/v1/things', 'post'))['400']!;
    expect(description).toContain(
      '- `insufficient_funds`: The account has too little available. Fund the account, or send a smaller amount.',
    );
  });

  it('describes every webhook with its headers and an example', () => {
    expect(Object.keys(document.webhooks!)).toEqual(eventTypes);
    const { requestBody, parameters, operationId } = document.webhooks!['card.updated']!.post;
    expect(operationId).toBe('webhooks.cardUpdated');
    expect(parameters.map(({ name }) => name)).toEqual(['Service-Signature', 'Webhook-Id']);
    expect(requestBody!.content['application/json']).toMatchObject({
      schema: { $ref: '#/components/schemas/CardEvent' },
      example: { type: 'card.updated' },
    });
  });

  it('says which value of a discriminator selects which schema', () => {
    const components = new SchemaComponents();
    components.output(webhookEvent);
    expect(components.schemas['WebhookEvent']!.discriminator).toMatchObject({
      propertyName: 'type',
      mapping: { 'card.updated': '#/components/schemas/CardEvent' },
    });
  });

  it('describes the request body before transformation, with an example', () => {
    const { requestBody } = operation('/api/v1/things', 'post');
    const { schema, example } = requestBody!.content['application/json']!;
    expect(requestBody!.required).toBe(true);
    expect(schema).toMatchObject({
      type: 'object',
      required: ['amount', 'kind'],
      additionalProperties: false,
      properties: {
        amount: { $ref: '#/components/schemas/Amount', description: 'US dollars as a decimal string' },
        from: { $ref: '#/components/schemas/CalendarDate' },
      },
    });
    const { Amount, CalendarDate } = document.components.schemas;
    expect(Amount).toMatchObject({ type: 'string', pattern: '^\\d+(\\.\\d{1,2})?$' });
    expect(CalendarDate).toMatchObject({ type: 'string', format: 'date' });
    expect(creation.safeParse(example).success).toBe(true);
  });

  it('describes the response, with an example and headers', () => {
    const { content, headers } = responsesOf(document, operation('/api/v1/things', 'post'))['201']!;
    expect(content).toMatchObject({ 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } });
    expect(thing.safeParse(content!['application/json']!.example).success).toBe(true);
    expect(Object.keys(headers!)).toEqual(
      expect.arrayContaining(['Location', 'X-Request-Id', 'RateLimit', 'RateLimit-Policy', 'Idempotent-Replayed']),
    );
    const list = responsesOf(document, operation('/api/v1/things', 'get'))['200']!;
    expect(Object.keys(list.content!)).toEqual(['application/json', 'text/csv']);
    expect(page.safeParse(list.content!['application/json']!.example).success).toBe(true);
  });

  it('describes query parameters by their type, not as text', () => {
    const parameters = new Map(operation('/api/v1/things', 'get').parameters.map((one) => [one.name, one]));
    expect(parameters.get('limit')).toMatchObject({
      in: 'query',
      required: false,
      schema: { type: 'integer', maximum: 100 },
    });
    expect(parameters.get('from')).toMatchObject({
      required: true,
      description: 'A UTC calendar date',
      schema: { $ref: '#/components/schemas/CalendarDate' },
    });
    expect([...parameters.values()].filter(({ description }) => description === undefined)).toEqual([]);
  });

  it('lists Idempotency-Key on every POST, required where the endpoint requires it', () => {
    const key = (path: string, method: string) =>
      operation(path, method).parameters.find(({ name }) => name === 'Idempotency-Key')?.required;
    expect(key('/api/v1/things', 'post')).toBe(true);
    expect(key('/api/v1/sandbox/things/{id}/complete', 'post')).toBe(false);
    expect(key('/api/v1/things', 'get')).toBeUndefined();
  });

  it('lists the error codes of an endpoint', () => {
    const codes = (path: string, method: string) => [...errorCodesOf(document, operation(path, method))];
    expect(codes('/api/v1/things', 'post').sort()).toEqual([
      ...[
        'capability_inactive',
        'event_store_mismatch',
        'idempotency_conflict',
        'insufficient_funds',
        'internal_error',
        'invalid_key',
      ],
      ...[
        'rate_limited',
        'request_timeout',
        'scope_missing',
        'unavailable',
        'unsupported_media_type',
        'validation_failed',
      ],
      'verification_required',
    ]);
    expect(codes('/api/v1/sandbox/things/{id}/complete', 'post')).toEqual(
      expect.arrayContaining(['sandbox_only', 'not_found']),
    );
    expect(codes('/api/v1/things', 'get')).not.toContain('idempotency_conflict');
  });
});

describe('The operator document', () => {
  it('describes only the operator endpoints', () => {
    const paths = Object.keys(operatorDocument.paths);
    expect(paths.every((path) => path.startsWith('/operator/v1/'))).toBe(true);
    expect(paths).toContain('/operator/v1/companies/{id}/keys');
  });

  it('names the role of every endpoint', () => {
    for (const [, , { description }] of operations(operatorDocument)) {
      expect(description).toMatch(/Role: `(viewer|support|finance|admin)`\.$/);
    }
  });
});

describe('The reference', () => {
  const reference = () => test.app.inject({ url: '/reference' });

  it('can load scripts and send requests only to this host', async () => {
    const { headers, body } = await reference();
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['content-security-policy']).toMatch(/default-src 'none'; script-src 'self'; .*connect-src 'self'/);
    expect(headers['content-security-policy']).not.toMatch(/https?:|\*|unsafe-eval/);
    expect([...body.matchAll(/ (?:src|href)="([^"]+)"/g)].map(([, url]) => url)).toEqual([
      '/api/v1/openapi.json',
      expect.stringMatching(/^\/reference\/scalar\.js\?[0-9a-f]{16}$/),
    ]);
  });

  it('contains the public document, escaped', async () => {
    const { body } = await reference();
    const [, json] = /<script id="api-reference"[^>]*>([^<]+)<\/script>/.exec(body)!;
    expect(JSON.parse(json!)).toEqual(document);
  });

  it('turns off everything that sends requests to other hosts', async () => {
    const { body } = await reference();
    const [, json] = /data-configuration='([^']+)'/.exec(body)!;
    expect(JSON.parse(json!)).toMatchObject({
      withDefaultFonts: false,
      telemetry: false,
      hideClientButton: true,
      agent: { disabled: true },
      mcp: { disabled: true },
    });
    expect(json).not.toMatch(/https?:/);
  });

  it('serves the bundle of Scalar, compressed for clients that accept it, and cached for a year', async () => {
    const { body } = await reference();
    const [, url] = /<script src="([^"]+)">/.exec(body)!;
    const plain = await test.app.inject({ url: url! });
    expect(plain.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(plain.headers['content-type']).toBe('text/javascript; charset=utf-8');
    expect(plain.body).toContain('createApiReference');
    const compressed = await test.app.inject({ url: url!, headers: { 'accept-encoding': 'br, gzip' } });
    expect(compressed.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' });
    expect(gunzipSync(compressed.rawPayload).equals(plain.rawPayload)).toBe(true);
  });
});

describe('The page at /', () => {
  it('links the reference, the documents and the health checks, and shows both versions', async () => {
    const { statusCode, headers, body } = await test.app.inject({ url: '/' });
    expect(statusCode).toBe(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    for (const url of ['/reference', '/api/v1/openapi.json', '/operator/v1/openapi.json', '/health/ready']) {
      expect(body).toContain(`href="${url}"`);
    }
    expect(body).toMatch(/Florin \d+\.\d+\.\d+, API 1\.1\.0/);
    expect(body).not.toMatch(/<script|<link|<img|src=|https?:/);
  });
});

describe.each(['/api/v1/openapi.json', '/operator/v1/openapi.json', '/reference', '/'])('%s', (url) => {
  const get = (headers: Record<string, string> = {}) => test.app.inject({ url, headers });
  const decoders = { gzip: gunzipSync, br: brotliDecompressSync };

  it('can be cached for five minutes, and is not sent again if it is unchanged', async () => {
    const first = await get();
    expect(first.statusCode).toBe(200);
    expect(first.headers['cache-control']).toBe('public, max-age=300');
    const etag = String(first.headers['etag']);
    expect(etag).toMatch(/^"[\w-]{22}"$/);
    expect((await get()).headers['etag']).toBe(etag);
    for (const condition of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const unchanged = await get({ 'if-none-match': condition });
      expect(unchanged).toMatchObject({ statusCode: 304, body: '' });
      expect(unchanged.headers).toMatchObject({
        etag,
        'cache-control': 'public, max-age=300',
        vary: 'accept-encoding',
      });
    }
    const changed = await get({ 'if-none-match': '"other"' });
    expect(changed).toMatchObject({ statusCode: 200, body: first.body });
  });

  it.each(['gzip', 'br'] as const)('is sent as %s to clients that accept it, with its own ETag', async (encoding) => {
    const plain = await get();
    const compressed = await get({ 'accept-encoding': encoding });
    expect(compressed.headers).toMatchObject({ 'content-encoding': encoding, vary: 'accept-encoding' });
    expect(compressed.headers['content-type']).toBe(plain.headers['content-type']);
    expect(compressed.rawPayload.length).toBeLessThan(plain.rawPayload.length);
    expect(decoders[encoding](compressed.rawPayload).equals(plain.rawPayload)).toBe(true);
    const etag = String(compressed.headers['etag']);
    expect(etag).not.toBe(plain.headers['etag']);
    expect((await get({ 'accept-encoding': encoding, 'if-none-match': etag })).statusCode).toBe(304);
    expect((await get({ 'if-none-match': etag })).statusCode).toBe(200);
  });

  it('is serialized once', async () => {
    await get();
    const stringify = jest.spyOn(JSON, 'stringify');
    await Promise.all([get(), get({ 'accept-encoding': 'br' })]);
    expect(stringify).not.toHaveBeenCalled();
    stringify.mockRestore();
  });
});
