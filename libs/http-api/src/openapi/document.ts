import type { OperatorRole } from '@florin/companies-domain';
import { type AnyEndpoint } from '../endpoint-definition';
import { apiVersion } from '../versions';
import type { OpenApiDocument, Operation } from './document-types';
import { errorSchema } from './error-responses';
import { introduction } from './introduction';
import { operationOf, pathOf } from './operation';
import { SchemaComponents } from './schema-components';

export interface Audience {
  readonly title: string;
  readonly description: string;
  readonly securitySchemes: Record<string, object>;
}

export const publicAudience: Audience = {
  title: 'Florin API',
  description: introduction,
  securitySchemes: {
    apiKey: {
      type: 'http',
      scheme: 'bearer',
      description: 'An API key: `fl_test_…` for the sandbox, `fl_live_…` for live.',
    },
  },
};

const roleDescriptions: Readonly<Record<OperatorRole, string>> = {
  viewer: 'reads, as every role does',
  support: 'also manages holders, cards and webhooks',
  finance: 'also decides on reviews, deposits and adjustments',
  admin: 'does everything',
};

const roleList = Object.entries(roleDescriptions).map(([role, description]) => `\`${role}\` ${description}`);

export const operatorAudience: Audience = {
  title: 'Florin operator API',
  description:
    'For the operators of a Florin installation: companies and their API keys, products, cardholders, and reviews. ' +
    `Every endpoint names the role that it requires: ${roleList.join('; ')}.`,
  securitySchemes: { operatorToken: { type: 'http', scheme: 'bearer', description: 'The operator token' } },
};

export function openApiDocument(
  audience: Audience,
  endpoints: readonly AnyEndpoint[],
  baseUrl: string,
): OpenApiDocument {
  const components = new SchemaComponents();
  components.schemas['Error'] = errorSchema;
  const paths: Record<string, Record<string, Operation>> = {};
  for (const endpoint of [...endpoints].sort(byTagThenPath)) {
    const operations = (paths[pathOf(endpoint)] ??= {});
    operations[endpoint.method.toLowerCase()] = operationOf(endpoint, components);
  }
  const tags = [...new Set(endpoints.map(({ tag }) => tag))].sort();
  return {
    openapi: '3.1.0',
    info: { title: audience.title, version: apiVersion, description: audience.description },
    servers: [{ url: baseUrl }],
    tags: tags.map((name) => ({ name })),
    paths,
    components: { schemas: components.schemas, securitySchemes: audience.securitySchemes },
  };
}

function byTagThenPath(a: AnyEndpoint, b: AnyEndpoint): number {
  return a.tag.localeCompare(b.tag) || a.path.localeCompare(b.path) || b.method.localeCompare(a.method);
}
