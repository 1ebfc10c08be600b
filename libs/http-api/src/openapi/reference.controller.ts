import { Controller, Get, Headers, Inject, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { HTTP_API_OPTIONS, type HttpApiOptions } from '../http-api-options';
import { PublicRoute } from '../route-rules';
import { type Audience, openApiDocument, operatorAudience, publicAudience } from './document';
import type { OpenApiDocument } from './document-types';
import { EndpointRegistry } from './endpoint-registry';
import { homePage, homePolicy } from './home-page';
import { once } from './once';
import { referencePage, referencePolicy } from './reference-page';
import { readScalarBundle } from './scalar-bundle';
import { StaticContent } from './static-content';

const html = 'text/html; charset=utf-8';
const json = 'application/json; charset=utf-8';

/** The content changes only with a release or the configuration. */
const cacheControl = 'public, max-age=300';

/**
 * Public, without authentication and rate limits. The routes do not change once the process listens, so everything is built
 * once, on the first request.
 */
@Controller()
export class ReferenceController {
  private readonly publicDocument = once(async () => this.documentOf(publicAudience, 'public'));
  private readonly publicJson = once(async () => this.jsonOf(await this.publicDocument()));
  private readonly operatorJson = once(async () => this.jsonOf(this.documentOf(operatorAudience, 'operator')));
  private readonly homeHtml = once(() => this.htmlOf(homePage(), homePolicy));
  private readonly bundle = once(readScalarBundle);
  private readonly referenceHtml = once(async () => {
    const { hash } = await this.bundle();
    return this.htmlOf(referencePage(await this.publicDocument(), `/reference/scalar.js?${hash}`), referencePolicy);
  });

  constructor(
    private readonly registry: EndpointRegistry,
    @Inject(HTTP_API_OPTIONS) private readonly options: HttpApiOptions,
  ) {}

  @Get('/api/v1/openapi.json')
  @PublicRoute()
  async readPublic(@Res() reply: FastifyReply): Promise<void> {
    (await this.publicJson()).send(reply);
  }

  @Get('/operator/v1/openapi.json')
  @PublicRoute()
  async readOperator(@Res() reply: FastifyReply): Promise<void> {
    (await this.operatorJson()).send(reply);
  }

  @Get('/')
  @PublicRoute()
  async home(@Res() reply: FastifyReply): Promise<void> {
    (await this.homeHtml()).send(reply);
  }

  @Get('/reference')
  @PublicRoute()
  async reference(@Res() reply: FastifyReply): Promise<void> {
    (await this.referenceHtml()).send(reply);
  }

  @Get('/reference/scalar.js')
  @PublicRoute()
  async script(@Headers('accept-encoding') encodings: string | undefined, @Res() reply: FastifyReply): Promise<void> {
    const { script, gzipped } = await this.bundle();
    const compress = /\bgzip\b/.test(encodings ?? '');
    if (compress) reply.header('content-encoding', 'gzip');
    reply.header('content-type', 'text/javascript; charset=utf-8').header('vary', 'accept-encoding');
    reply.header('cache-control', 'public, max-age=31536000, immutable').send(compress ? gzipped : script);
  }

  private documentOf(audience: Audience, name: 'public' | 'operator'): OpenApiDocument {
    return openApiDocument(audience, this.registry.of(name), this.options.baseUrl);
  }

  private jsonOf(document: OpenApiDocument): Promise<StaticContent> {
    return StaticContent.of(JSON.stringify(document), { contentType: json, cacheControl });
  }

  private htmlOf(page: string, policy: string): Promise<StaticContent> {
    const headers = { 'content-security-policy': policy };
    return StaticContent.of(page, { contentType: html, cacheControl, headers });
  }
}
