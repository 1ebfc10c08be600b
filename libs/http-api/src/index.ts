export { apiModules } from './api-modules';
export { asyncApiDocument } from './asyncapi/asyncapi-document';
export { generateApiKey } from './auth/api-key';
export { createHttpServer, createFastifyAdapter } from './fastify-adapter';
export { HttpApiModule } from './http-api.module';
export { installHttp } from './install-http';
export { type ApiDocuments, apiDocuments } from './openapi/api-documents';
export { PublicRoute } from './route-rules';
export { apiVersion, florinVersion } from './versions';
