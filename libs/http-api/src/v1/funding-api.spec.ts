import type { OpenApiDocument } from '../openapi/document-types';
import { EndpointRegistry } from '../openapi/endpoint-registry';
import { pathOf } from '../openapi/operation';
import { errorCodesOf, examplesOf, responsesOf } from '../testing/api-document';
import { OperationsApp } from '../testing/operations-app';
import { FundingApiModule } from './funding-api.module';
import { OperationsApiModule } from './operations-api.module';

const api = new OperationsApp([OperationsApiModule, FundingApiModule]);
let documents: Record<'public' | 'operator', OpenApiDocument>;

beforeAll(async () => {
  await api.start();
  const read = async (url: string): Promise<OpenApiDocument> => (await api.app.inject({ url })).json();
  documents = { public: await read('/api/v1/openapi.json'), operator: await read('/operator/v1/openapi.json') };
});
afterAll(() => api.close());

const codesOf = (audience: 'public' | 'operator', method: string, path: string) =>
  errorCodesOf(documents[audience], documents[audience].paths[path]![method]!);

describe('The documents', () => {
  it.each([
    ['public', '/api/v1/card-account/invoices', ['get', 'post']],
    ['public', '/api/v1/card-account/invoices/{id}', ['get']],
    ['public', '/api/v1/sandbox/invoices/{id}/complete', ['post']],
    ['operator', '/operator/v1/deposits', ['get']],
  ] as const)('have the %s %s', (audience, path, methods) => {
    expect(Object.keys(documents[audience].paths[path]!).sort()).toEqual(methods);
  });

  it.each(['public', 'operator'] as const)(
    'have examples that fit the request and response schemas: %s',
    (audience) => {
      for (const endpoint of api.app.get(EndpointRegistry).of(audience)) {
        const operation = documents[audience].paths[pathOf(endpoint)]![endpoint.method.toLowerCase()]!;
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

  it('describe the filter by metadata', () => {
    const { parameters } = documents.public.paths['/api/v1/card-account/invoices']!['get']!;
    const filter = parameters.find(({ name }) => name === 'metadata');
    expect(filter).toMatchObject({ in: 'query', required: false, style: 'deepObject', explode: true });
  });

  it('describe the decimals of an invoice', () => {
    const { properties, required } = documents.public.components.schemas['FundingInvoice']!;
    const optional = ['metadata', 'paymentUrl', 'settlement'];
    expect([...required!, ...optional].sort()).toEqual(Object.keys(properties!).sort());
    expect(required).toHaveLength(12);
    expect(JSON.stringify(properties!['payAmount'])).toContain('"#/components/schemas/UsdtAmount"');
    expect(documents.public.components.schemas['UsdtAmount']).toMatchObject({ pattern: '^\\d+\\.\\d{6}$' });
  });

  it('list the error codes and the required activation', () => {
    const codes = codesOf('public', 'post', '/api/v1/card-account/invoices');
    const refusals = ['amount_below_minimum', 'unresolved_invoice_exists', 'idempotency_conflict', 'not_found'];
    expect(codes).toEqual(expect.arrayContaining([...refusals, 'capability_inactive', 'validation_failed']));
    const { description } = documents.public.paths['/api/v1/card-account/invoices']!['post']!;
    expect(description).toContain('Live requires the activation `direct_invoices`.');
    expect(codesOf('public', 'post', '/api/v1/sandbox/invoices/{id}/complete')).toContain('sandbox_only');
  });

  it('have a schema for each kind of review', () => {
    const { schemas } = documents.operator.components;
    const resolve = documents.operator.paths['/operator/v1/reviews/{id}/resolve']!['post']!;
    const { content } = responsesOf(documents.operator, resolve)['200']!;
    expect(content!['application/json']!.schema).toEqual({ $ref: '#/components/schemas/Review' });
    expect(schemas['Review']!.discriminator!.mapping).toEqual({
      operation: '#/components/schemas/OperationReview',
      invoice: '#/components/schemas/InvoiceReview',
      deposit: '#/components/schemas/DepositReview',
    });
    expect(schemas['DepositReview']!.properties!['kind']).toMatchObject({ const: 'deposit' });
  });
});
