import type { Type } from '@nestjs/common';
import { MODULE_METADATA } from '@nestjs/common/constants';
import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants';
import { apiModules } from '../api-modules';
import type { AnyEndpoint } from '../endpoint-definition';
import { sharedControllers } from '../http-api.module';
import { openApiDocument, operatorAudience, publicAudience } from './document';
import type { OpenApiDocument } from './document-types';
import { EndpointRegistry } from './endpoint-registry';

export interface ApiDocuments {
  readonly public: OpenApiDocument;
  readonly operator: OpenApiDocument;
}

/** The OpenAPI documents of all endpoints, without a running application. */
export function apiDocuments(baseUrl: string): ApiDocuments {
  const registry = new EndpointRegistry();
  const ofModules = apiModules.flatMap((module) => Reflect.getMetadata(MODULE_METADATA.CONTROLLERS, module) as Type[]);
  for (const controller of [...sharedControllers, ...ofModules]) {
    for (const endpoint of endpointsOf(controller)) registry.add(endpoint);
  }
  return {
    public: openApiDocument(publicAudience, registry.of('public'), baseUrl),
    operator: openApiDocument(operatorAudience, registry.of('operator'), baseUrl),
  };
}

function endpointsOf({ prototype }: Type): AnyEndpoint[] {
  return Object.values(Object.getOwnPropertyDescriptors(prototype as object)).flatMap(({ value }) => {
    if (typeof value !== 'function') return [];
    const config = Reflect.getMetadata(FASTIFY_ROUTE_CONFIG_METADATA, value) as { endpoint?: AnyEndpoint } | undefined;
    return config?.endpoint ?? [];
  });
}
