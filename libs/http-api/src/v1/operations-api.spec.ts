import type { AnyEndpoint } from '../endpoint-definition';
import type { JsonSchema, OpenApiDocument, Operation } from '../openapi/document-types';
import { EndpointRegistry } from '../openapi/endpoint-registry';
import { pathOf } from '../openapi/operation';
import { errorCodesOf, examplesOf, responsesOf } from '../testing/api-document';
import { OperationsApp } from '../testing/operations-app';

const api = new OperationsApp();
let documents: Record<'public' | 'operator', OpenApiDocument>;

beforeAll(async () => {
  await api.start();
  const read = async (url: string): Promise<OpenApiDocument> => (await api.app.inject({ url })).json();
  documents = { public: await read('/api/v1/openapi.json'), operator: await read('/operator/v1/openapi.json') };
});
afterAll(() => api.close());

const pathsOf = (audience: 'public' | 'operator') =>
  Object.entries(documents[audience].paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );

const documented = (audience: 'public' | 'operator', endpoint: AnyEndpoint): Operation =>
  documents[audience].paths[pathOf(endpoint)]![endpoint.method.toLowerCase()]!;

describe('The documents', () => {
  it('describe every endpoint of cards and operations', () => {
    expect(pathsOf('public').sort()).toEqual([
      'GET /api/v1/cards',
      'GET /api/v1/cards/{id}',
      'GET /api/v1/holders',
      'GET /api/v1/holders/{id}',
      'GET /api/v1/operations',
      'GET /api/v1/operations/{id}',
      'GET /api/v1/products',
      'GET /api/v1/transactions',
      'GET /api/v1/transactions/{id}',
      'PATCH /api/v1/cards/{id}',
      'PATCH /api/v1/holders/{id}',
      'POST /api/v1/cards/{id}/close',
      'POST /api/v1/cards/{id}/freeze',
      'POST /api/v1/cards/{id}/reveal',
      'POST /api/v1/cards/{id}/unfreeze',
      'POST /api/v1/holders',
      'POST /api/v1/operations',
      'POST /api/v1/operations/bulk',
      'POST /api/v1/quotes',
      'POST /api/v1/sandbox/cards/{id}/status',
      'POST /api/v1/sandbox/transactions',
      'POST /api/v1/sandbox/transactions/{id}/clear',
      'POST /api/v1/sandbox/transactions/{id}/expire',
      'POST /api/v1/sandbox/transactions/{id}/refund',
      'POST /api/v1/sandbox/transactions/{id}/reverse',
    ]);
    expect(pathsOf('operator')).toEqual(
      expect.arrayContaining([
        'GET /operator/v1/reviews',
        'POST /operator/v1/reviews/{id}/resolve',
        'GET /operator/v1/products',
        'PUT /operator/v1/products/{id}',
        'POST /operator/v1/holders/{id}/status',
        'POST /operator/v1/holders/{id}/erase',
      ]),
    );
  });

  it.each(['public', 'operator'] as const)(
    'have examples that fit the request and response schemas: %s',
    (audience) => {
      for (const endpoint of api.app.get(EndpointRegistry).of(audience)) {
        const operation = documented(audience, endpoint);
        const { requestBody } = operation;
        const { example } = responsesOf(documents[audience], operation)[endpoint.response.status]!.content![
          'application/json'
        ]!;
        expect([endpoint.path, endpoint.response.schema!.safeParse(example).error]).toEqual([endpoint.path, undefined]);
        if (endpoint.body === undefined) continue;
        for (const sent of examplesOf(requestBody!.content['application/json']!)) {
          expect([endpoint.path, endpoint.body.safeParse(sent).error]).toEqual([endpoint.path, undefined]);
        }
      }
    },
  );

  it('have a schema for each type of operation', () => {
    const { schemas } = documents.public.components;
    const { schema } = documents.public.paths['/api/v1/operations']!['post']!.requestBody!.content['application/json']!;
    expect(schema).toEqual({ $ref: '#/components/schemas/OperationCreation' });
    expect(schemas['OperationCreation']!.oneOf).toHaveLength(4);
    expect(schemas['OperationCreation']!.discriminator).toEqual({
      propertyName: 'type',
      mapping: {
        issue: '#/components/schemas/IssueOperation',
        topup: '#/components/schemas/TopupOperation',
        service: '#/components/schemas/ServiceOperation',
        unload: '#/components/schemas/UnloadOperation',
      },
    });
    const shape = ({ properties = {}, required, additionalProperties }: JsonSchema) => ({
      fields: Object.keys(properties).sort(),
      required: [...(required ?? [])].sort(),
      type: properties['type']?.const,
      additionalProperties,
    });
    expect(shape(schemas['IssueOperation']!)).toEqual({
      fields: ['amount', 'expectedTotal', 'holderId', 'metadata', 'name', 'productId', 'type'],
      required: ['amount', 'expectedTotal', 'holderId', 'productId', 'type'],
      type: 'issue',
      additionalProperties: false,
    });
    expect(shape(schemas['TopupQuote']!)).toMatchObject({ required: ['amount', 'cardId', 'productId', 'type'] });
    expect(shape(schemas['UnloadOperation']!)).toMatchObject({
      fields: ['amount', 'cardId', 'expectedTotal', 'metadata', 'type'],
      required: ['amount', 'cardId', 'expectedTotal', 'type'],
    });
    expect(schemas['ServiceOperation']!.properties!['amount']).toEqual({
      $ref: '#/components/schemas/Amount',
      description: 'The amount for the card or the recipient',
    });
    expect(schemas['Amount']).toMatchObject({ pattern: '^\\d+(\\.\\d{1,2})?$', examples: ['100.00'] });
    expect(schemas['IssueOperation']!.properties!['expectedTotal']).toMatchObject({ examples: ['103.20'] });
  });

  it('describe the items and the results of a bulk request', () => {
    const { schemas } = documents.public.components;
    const { requestBody, responses, parameters } = documents.public.paths['/api/v1/operations/bulk']!['post']!;
    const { schema, example } = requestBody!.content['application/json']!;
    expect(schema).toEqual({ $ref: '#/components/schemas/BulkOperationsCreation' });
    expect(schemas['BulkOperationsCreation']!.properties!['operations']).toMatchObject({
      ...{ minItems: 1, maxItems: 500, items: { $ref: '#/components/schemas/BulkOperationCreation' } },
    });
    expect(schemas['BulkOperationCreation']).toMatchObject({
      oneOf: ['Issue', 'Topup', 'Service', 'Unload'].map((type) => ({
        $ref: `#/components/schemas/Bulk${type}Operation`,
      })),
    });
    expect(schemas['BulkUnloadOperation']).toMatchObject({
      required: expect.arrayContaining(['idempotencyKey', 'type', 'amount', 'cardId', 'expectedTotal']) as string[],
    });
    expect(example).toMatchObject({ operations: [{ idempotencyKey: 'order-4711', type: 'issue' }] });
    expect(schemas['BulkResult']!.properties!['error']).toMatchObject({ $ref: '#/components/schemas/Error' });
    expect(schemas['Error']).toMatchObject({ required: ['statusCode', 'message', 'code', 'requestId'] });
    expect(parameters).toEqual([]);
    expect(responses['200']).not.toHaveProperty(['headers', 'Idempotent-Replayed']);
  });

  it('list the error codes of an operation', () => {
    const codes = errorCodesOf(documents.public, documents.public.paths['/api/v1/operations']!['post']!);
    expect(codes).toEqual(
      expect.arrayContaining([
        ...['capability_inactive', 'scope_missing', 'quote_changed', 'idempotency_conflict', 'not_found'],
        ...['product_unavailable', 'amount_below_minimum', 'holder_not_active', 'card_not_active'],
        ...['quota_exceeded', 'insufficient_funds', 'insufficient_card_balance'],
      ]),
    );
  });

  it('describe the page size', () => {
    const { parameters } = documents.public.paths['/api/v1/operations']!['get']!;
    expect(parameters.find(({ name }) => name === 'limit')).toMatchObject({
      required: false,
      description: 'The number of entries per page; the default is 50',
      schema: { type: 'integer', minimum: 1, maximum: 100 },
    });
    expect(parameters.every(({ description }) => description !== undefined)).toBe(true);
  });

  it('omit the issuer callbacks', () => {
    expect(JSON.stringify(documents)).not.toContain('/issuer/');
  });
});

describe('The reference', () => {
  it('shows the fields of each operation type under its name', async () => {
    const { schemas } = documents.public.components;
    const { body } = await api.app.inject({ url: '/reference' });
    const types = {
      IssueOperation: 'holderId',
      TopupOperation: 'cardId',
      ServiceOperation: 'recipient',
      UnloadOperation: 'cardId',
    };
    for (const [title, field] of Object.entries(types)) {
      expect(schemas[title]!.properties).toHaveProperty(field);
      expect(body).toContain(`"${title}"`);
    }
  });
});
