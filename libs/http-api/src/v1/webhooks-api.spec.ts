import type { AnyEndpoint } from '../endpoint-definition';
import type { OpenApiDocument, Operation } from '../openapi/document-types';
import { EndpointRegistry } from '../openapi/endpoint-registry';
import { pathOf } from '../openapi/operation';
import { examplesOf, responsesOf } from '../testing/api-document';
import { OperationsApp } from '../testing/operations-app';
import { WebhookViews } from '../testing/webhook-views';
import { WebhooksApiModule } from './webhooks-api.module';

const api = new OperationsApp([WebhooksApiModule], new WebhookViews().standIns());
let document: OpenApiDocument;

beforeAll(async () => {
  await api.start();
  document = (await api.app.inject({ url: '/api/v1/openapi.json' })).json();
});
afterAll(() => api.close());

const documented = (endpoint: AnyEndpoint): Operation =>
  document.paths[pathOf(endpoint)]![endpoint.method.toLowerCase()]!;

describe('The document', () => {
  it('describes every webhook endpoint', () => {
    const paths = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(paths.sort()).toEqual([
      'DELETE /api/v1/webhook-endpoints/{id}',
      'GET /api/v1/events',
      'GET /api/v1/events/{id}',
      'GET /api/v1/webhook-endpoints',
      'GET /api/v1/webhook-endpoints/{id}',
      'GET /api/v1/webhook-endpoints/{id}/deliveries',
      'PATCH /api/v1/webhook-endpoints/{id}',
      'POST /api/v1/events/{id}/resend',
      'POST /api/v1/sandbox/events',
      'POST /api/v1/webhook-endpoints',
      'POST /api/v1/webhook-endpoints/{id}/recover',
      'POST /api/v1/webhook-endpoints/{id}/rotate-secret',
      'POST /api/v1/webhook-endpoints/{id}/test',
    ]);
  });

  it('has examples that fit the request and response schemas', () => {
    for (const endpoint of api.app.get(EndpointRegistry).of('public')) {
      const operation = documented(endpoint);
      const { requestBody } = operation;
      const { example } =
        responsesOf(document, operation)[endpoint.response.status]!.content!['application/json'] ?? {};
      expect([endpoint.path, endpoint.response.schema?.safeParse(example).error]).toEqual([endpoint.path, undefined]);
      if (endpoint.body === undefined) continue;
      for (const sent of examplesOf(requestBody!.content['application/json']!)) {
        expect([endpoint.path, endpoint.body.safeParse(sent).error]).toEqual([endpoint.path, undefined]);
      }
    }
  });

  it('describes a deletion without a response body', () => {
    const { responses } = document.paths['/api/v1/webhook-endpoints/{id}']!['delete']!;
    expect(responses['204']).toMatchObject({ description: 'The endpoint was deleted.', content: {} });
  });

  it('relates each event type to its object', () => {
    const { schemas } = document.components;
    expect(schemas['WebhookEvent']!.oneOf).toHaveLength(6);
    expect(schemas['InvoiceEvent']).toMatchObject({
      properties: {
        type: {
          enum: ['invoice.pending', 'invoice.completed', 'invoice.expired', 'invoice.failed', 'invoice.manual_review'],
        },
        data: { properties: { object: { $ref: '#/components/schemas/FundingInvoice' } } },
      },
    });
  });
});

describe('The reference', () => {
  it('explains how to receive webhooks', async () => {
    const { description } = document.info;
    const section = description.slice(description.indexOf('# Webhooks'), description.indexOf('# Errors'));
    for (const word of ['Service-Signature', 'objectVersion', 'operation.manual_review', 'webhook_endpoint.test']) {
      expect(section).toContain(word);
    }
    expect((await api.app.inject({ url: '/reference' })).body).toContain('# Webhooks');
  });
});
