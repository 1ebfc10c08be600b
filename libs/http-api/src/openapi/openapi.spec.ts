import { Controller } from '@nestjs/common';
import { z } from 'zod';
import { type ApiResponse, response, type ResponseOf } from '../api-response';
import { Endpoint } from '../endpoint';
import { amount, cursor, date, id, idParams, limit, money, timestamp } from '../schemas';
import { startTestApp, type TestApp } from '../testing/test-app';
import type { JsonSchema, OpenApiDocument, Operation } from './document-types';

const thing = z
  .strictObject({ id, total: money, createdAt: timestamp, note: z.string().nullable() })
  .meta({ id: 'Thing' });
const page = z.strictObject({ data: z.array(thing), nextCursor: z.string().optional() });
const creation = z.strictObject({ amount, kind: z.enum(['big', 'small']), from: date.optional() });
const filters = z.strictObject({ limit: limit.optional(), cursor: cursor.optional(), from: date });

@Controller()
class ThingsController {
  @Endpoint({
    method: 'POST',
    path: '/api/v1/things',
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
    throw new Error('Nobody calls it');
  }

  @Endpoint({
    method: 'GET',
    path: '/api/v1/things',
    tag: 'Things <&>',
    summary: 'List things',
    scope: 'cards:read',
    query: filters,
    response: { status: 200, description: 'A page.', schema: page, contentTypes: ['text/csv'] },
  })
  async list(): Promise<ResponseOf<typeof page>> {
    return response(200, { data: [] });
  }

  @Endpoint({
    method: 'POST',
    path: '/api/v1/sandbox/things/:id/complete',
    tag: 'Sandbox',
    summary: 'Complete a thing',
    scope: 'cards:write',
    sandboxOnly: true,
    params: idParams,
    response: { status: 200, description: 'Done.' },
  })
  async complete(): Promise<ApiResponse> {
    return response(200, {});
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

/** Every value under a key of this name, however deep. */
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

  it('has no reference that leads nowhere', () => {
    const { schemas } = get().components;
    const references = valuesOf('$ref', get()) as string[];
    expect(references.length).toBeGreaterThan(0);
    for (const reference of references)
      expect(schemas).toHaveProperty([reference.replace('#/components/schemas/', '')]);
    expect(JSON.stringify(get())).not.toContain('$defs');
  });

  it('names every operation once, with its security, tags and a success', () => {
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

  it('describes every parameter of every path, and no colon is left', () => {
    for (const [path, , { parameters }] of operations(get())) {
      const inPath = parameters.filter((parameter) => parameter.in === 'path');
      expect([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)).toEqual(inPath.map(({ name }) => name));
      expect(inPath.every(({ required }) => required)).toBe(true);
      expect(path).not.toContain(':');
    }
  });

  it('gives every error the same body', () => {
    for (const [, , { responses }] of operations(get())) {
      const errors = Object.entries(responses).filter(([status]) => Number(status) >= 400);
      expect(errors.map(([status]) => status)).toEqual(expect.arrayContaining(['400', '401', '500', '503']));
      for (const [status, { content }] of errors) {
        const schema = { $ref: '#/components/schemas/Error' };
        expect(content).toMatchObject({ 'application/json': { schema, example: { statusCode: Number(status) } } });
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

  it('tells the scopes as alternatives', () => {
    const make = operation('/api/v1/things', 'post');
    expect(make.security).toEqual([{ apiKey: ['cards:write'] }, { apiKey: ['services:write'] }]);
    expect(make.description).toBe(
      'It may be `big`. Scope: `cards:write` or `services:write`. Live needs the activation `services`.',
    );
  });

  it('describes what a client sends as it is sent, with an example', () => {
    const { requestBody } = operation('/api/v1/things', 'post');
    const { schema, example } = requestBody!.content['application/json']!;
    expect(requestBody!.required).toBe(true);
    expect(schema).toMatchObject({
      type: 'object',
      required: ['amount', 'kind'],
      additionalProperties: false,
      properties: { amount: { type: 'string', pattern: '^\\d+(\\.\\d{1,2})?$' }, from: { format: 'date' } },
    });
    expect(creation.safeParse(example).success).toBe(true);
  });

  it('describes what a client gets, with an example and headers', () => {
    const { content, headers } = operation('/api/v1/things', 'post').responses['201']!;
    expect(content).toMatchObject({ 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } });
    expect(thing.safeParse(content!['application/json']!.example).success).toBe(true);
    expect(Object.keys(headers!)).toEqual(
      expect.arrayContaining(['Location', 'X-Request-Id', 'RateLimit', 'RateLimit-Policy', 'Idempotent-Replayed']),
    );
    const list = operation('/api/v1/things', 'get').responses['200']!;
    expect(Object.keys(list.content!)).toEqual(['application/json', 'text/csv']);
    expect(page.safeParse(list.content!['application/json']!.example).success).toBe(true);
  });

  it('describes parameters by what they mean, not by how they travel', () => {
    const parameters = new Map(operation('/api/v1/things', 'get').parameters.map((one) => [one.name, one]));
    expect(parameters.get('limit')).toMatchObject({
      in: 'query',
      required: false,
      schema: { type: 'integer', maximum: 100 },
    });
    expect(parameters.get('from')).toMatchObject({ required: true, schema: { format: 'date' } });
    const schemas: JsonSchema[] = [...parameters.values()].map(({ schema }) => schema);
    expect(schemas.every(({ description }) => description !== undefined)).toBe(true);
  });

  it('asks for an idempotency key on every POST, and requires it where it is required', () => {
    const key = (path: string, method: string) =>
      operation(path, method).parameters.find(({ name }) => name === 'Idempotency-Key')?.required;
    expect(key('/api/v1/things', 'post')).toBe(true);
    expect(key('/api/v1/sandbox/things/{id}/complete', 'post')).toBe(false);
    expect(key('/api/v1/things', 'get')).toBeUndefined();
  });

  it('tells which codes an endpoint can answer with', () => {
    const codes = (path: string, method: string) =>
      Object.values(operation(path, method).responses).flatMap(
        ({ description }) => description.match(/(?<=`)[a-z_]+(?=`)/g) ?? [],
      );
    expect(codes('/api/v1/things', 'post').sort()).toEqual([
      ...['capability_inactive', 'idempotency_conflict', 'insufficient_funds', 'internal_error', 'invalid_key'],
      ...['rate_limited', 'scope_missing', 'unavailable', 'validation_failed', 'verification_required'],
    ]);
    expect(codes('/api/v1/sandbox/things/{id}/complete', 'post')).toEqual(
      expect.arrayContaining(['sandbox_only', 'not_found']),
    );
    expect(codes('/api/v1/things', 'get')).not.toContain('idempotency_conflict');
  });
});

describe('The operator document', () => {
  it('describes nothing but the operator endpoints', () => {
    const paths = Object.keys(operatorDocument.paths);
    expect(paths.every((path) => path.startsWith('/operator/v1/'))).toBe(true);
    expect(paths).toContain('/operator/v1/companies/{id}/keys');
  });
});

describe('The reference', () => {
  it('is one page that may load and run nothing', async () => {
    const { headers, body } = await test.app.inject({ url: '/reference' });
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['content-security-policy']).toContain("default-src 'none'; style-src 'unsafe-inline'");
    expect(body).not.toMatch(/<script|<link|<img|src=|url\(|@import/);
  });

  it('has an anchor for every operation, and no link that leads nowhere', async () => {
    const { body } = await test.app.inject({ url: '/reference' });
    const anchors = new Set([...body.matchAll(/ id="([^"]+)"/g)].map(([, anchor]) => anchor));
    for (const [, , { operationId }] of operations(document)) expect(anchors).toContain(operationId);
    for (const [, target] of body.matchAll(/href="#([^"]+)"/g)) expect(anchors).toContain(target);
  });

  it('escapes what it shows', async () => {
    const { body } = await test.app.inject({ url: '/reference' });
    expect(body).toContain('Make a &lt;thing&gt;');
    expect(body).toContain('Things &lt;&amp;&gt;');
    expect(body).toContain('It may be <code>big</code>.');
    expect(body).not.toContain('<thing>');
  });

  it('shows commands that can be pasted', async () => {
    const { body } = await test.app.inject({ url: '/reference' });
    const text = body.replaceAll('&#39;', "'").replaceAll('&quot;', '"');
    expect(text).toContain(`curl -X POST 'https://florin.example/api/v1/things' \\
  -H "Authorization: Bearer $FLORIN_KEY" \\
  -H 'Idempotency-Key: order-4711' \\
  -H 'Content-Type: application/json' \\
  -d '{"amount":"100.00","kind":"big","from":"2030-01-31"}'`);
    expect(text).toContain(`curl 'https://florin.example/api/v1/things?from=2030-01-31'`);
  });
});
