import { type AnyEndpoint } from '../endpoint-definition';
import { apiVersion } from '../versions';
import { codeSamples } from './code-samples';
import type { OpenApiDocument, Operation } from './document-types';
import { errorSchemas } from './error-responses';
import { introduction } from './introduction';
import { operationOf, pathOf } from './operation';
import { roleDescriptions } from './role-descriptions';
import { SchemaComponents } from './schema-components';
import { scopeDescriptions } from './scope-descriptions';
import { tagDescriptions } from './tag-descriptions';
import { webhooksOf } from './webhooks';

export interface Audience {
  readonly title: string;
  readonly description: string;
  readonly securitySchemes: Record<string, object>;
  readonly webhooksOf?: typeof webhooksOf;
  /** Whether there is an SDK, whose calls are shown. */
  readonly hasSamples?: boolean;
}

export const publicAudience: Audience = {
  title: 'Florin API',
  description: introduction,
  securitySchemes: {
    apiKey: {
      type: 'http',
      scheme: 'bearer',
      description: 'An API key: `fl_test_…` for the sandbox, `fl_live_…` for live.',
      'x-scopes': scopeDescriptions,
    },
  },
  webhooksOf,
  hasSamples: true,
};

const roleList = Object.entries(roleDescriptions).map(([role, description]) => `\`${role}\` ${description}`);

export const operatorAudience: Audience = {
  title: 'Florin operator API',
  description:
    'For the operators of a Florin installation: companies and their API keys, products, cardholders, and reviews. ' +
    `Every endpoint names the role that it requires: ${roleList.join('; ')}.`,
  securitySchemes: {
    operatorToken: {
      type: 'http',
      scheme: 'bearer',
      description: 'The operator token',
      'x-roles': roleDescriptions,
    },
  },
};

export function openApiDocument(
  audience: Audience,
  endpoints: readonly AnyEndpoint[],
  baseUrl: string,
): OpenApiDocument {
  const components = new SchemaComponents();
  Object.assign(components.schemas, errorSchemas);
  const paths: Record<string, Record<string, Operation>> = {};
  for (const endpoint of [...endpoints].sort(byTagThenPath)) {
    const operations = (paths[pathOf(endpoint)] ??= {});
    const method = endpoint.method.toLowerCase();
    const operation = operationOf(endpoint, components);
    const samples = () => codeSamples(method, baseUrl + pathOf(endpoint), operation, components.schemas);
    operations[method] = audience.hasSamples ? { ...operation, 'x-codeSamples': samples() } : operation;
  }
  const webhooks = audience.webhooksOf?.(components);
  const tags = new Set([...endpoints.map(({ tag }) => tag), ...(webhooks === undefined ? [] : ['Webhooks'])]);
  const { title, description, securitySchemes } = audience;
  return {
    openapi: '3.1.0',
    info: { title, version: apiVersion, description, license },
    servers: [{ url: baseUrl }],
    tags: [...tags].sort((a, b) => a.localeCompare(b)).map((name) => ({ name, description: tagDescriptions[name] })),
    paths,
    ...(webhooks !== undefined && { webhooks }),
    components: { schemas: sorted(components.schemas), responses: sorted(components.responses), securitySchemes },
  };
}

const license = { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' };

function sorted<Part>(parts: Readonly<Record<string, Part>>): Record<string, Part> {
  return Object.fromEntries(Object.entries(parts).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function byTagThenPath(a: AnyEndpoint, b: AnyEndpoint): number {
  return a.tag.localeCompare(b.tag) || a.path.localeCompare(b.path) || b.method.localeCompare(a.method);
}
