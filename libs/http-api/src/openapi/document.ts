import { type AnyEndpoint } from '../endpoint-definition';
import type { OpenApiDocument, Operation } from './document-types';
import { errorSchema } from './error-responses';
import { operationOf, pathOf } from './operation';
import { SchemaComponents } from './schema-components';
import { scopeDescriptions } from './scope-descriptions';

export interface Audience {
  readonly title: string;
  readonly description: string;
  readonly securitySchemes: Record<string, object>;
}

const scopeList = Object.entries(scopeDescriptions)
  .map(([scope, meaning]) => `- \`${scope}\`: ${meaning}`)
  .join('\n');

export const publicAudience: Audience = {
  title: 'Florin API',
  description:
    'Issue and top up cards, order services, fund the card account, and read what happened. Every object belongs to ' +
    'the company and the environment (sandbox or live) of the API key that is used.',
  securitySchemes: {
    apiKey: {
      type: 'http',
      scheme: 'bearer',
      description: `An API key, \`fl_test_…\` for the sandbox or \`fl_live_…\`. Its scopes:\n\n${scopeList}`,
    },
  },
};

export const operatorAudience: Audience = {
  title: 'Florin operator API',
  description:
    'For whoever runs Florin: companies and their API keys, products, cardholders, and what waits for a decision.',
  securitySchemes: { operatorToken: { type: 'http', scheme: 'bearer', description: 'The operator token' } },
};

/** The version of the interface; it grows with every addition. */
export const version = '1.1.0';

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
    info: { title: audience.title, version, description: audience.description },
    servers: [{ url: baseUrl }],
    tags: tags.map((name) => ({ name })),
    paths,
    components: { schemas: components.schemas, securitySchemes: audience.securitySchemes },
  };
}

function byTagThenPath(a: AnyEndpoint, b: AnyEndpoint): number {
  return a.tag.localeCompare(b.tag) || a.path.localeCompare(b.path) || b.method.localeCompare(a.method);
}
