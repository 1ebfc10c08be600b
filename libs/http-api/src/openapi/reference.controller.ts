import { Controller, Get, Header, Headers, Inject, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { HTTP_API_OPTIONS, type HttpApiOptions } from '../http-api-options';
import { PublicRoute } from '../route-rules';
import { type Audience, openApiDocument, operatorAudience, publicAudience } from './document';
import type { OpenApiDocument } from './document-types';
import { EndpointRegistry } from './endpoint-registry';
import { homePage, homePolicy } from './home-page';
import { referencePage, referencePolicy } from './reference-page';
import { readScalarBundle, type ScalarBundle } from './scalar-bundle';

const html = 'text/html; charset=utf-8';

/** Public. The routes do not change once the process listens, so each document is built once, on its first request. */
@Controller()
export class ReferenceController {
  private publicDocument?: OpenApiDocument;
  private operatorDocument?: OpenApiDocument;
  private bundle?: Promise<ScalarBundle>;

  constructor(
    private readonly registry: EndpointRegistry,
    @Inject(HTTP_API_OPTIONS) private readonly options: HttpApiOptions,
  ) {}

  @Get('/api/v1/openapi.json')
  @PublicRoute()
  readPublic(): OpenApiDocument {
    return (this.publicDocument ??= this.document(publicAudience, 'public'));
  }

  @Get('/operator/v1/openapi.json')
  @PublicRoute()
  readOperator(): OpenApiDocument {
    return (this.operatorDocument ??= this.document(operatorAudience, 'operator'));
  }

  @Get('/')
  @PublicRoute()
  @Header('content-type', html)
  @Header('content-security-policy', homePolicy)
  home(): string {
    return homePage();
  }

  @Get('/reference')
  @PublicRoute()
  @Header('content-type', html)
  @Header('content-security-policy', referencePolicy)
  async reference(): Promise<string> {
    const { hash } = await this.scalar();
    return referencePage(this.readPublic(), `/reference/scalar.js?${hash}`);
  }

  @Get('/reference/scalar.js')
  @PublicRoute()
  async script(@Headers('accept-encoding') encodings: string | undefined, @Res() reply: FastifyReply): Promise<void> {
    const { script, gzipped } = await this.scalar();
    const compress = /\bgzip\b/.test(encodings ?? '');
    if (compress) reply.header('content-encoding', 'gzip');
    reply.header('content-type', 'text/javascript; charset=utf-8').header('vary', 'accept-encoding');
    reply.header('cache-control', 'public, max-age=31536000, immutable').send(compress ? gzipped : script);
  }

  private scalar(): Promise<ScalarBundle> {
    // A failed read is not cached, so the next request tries again.
    return (this.bundle ??= readScalarBundle().catch((error: unknown) => {
      this.bundle = undefined;
      throw error;
    }));
  }

  private document(audience: Audience, name: 'public' | 'operator'): OpenApiDocument {
    return openApiDocument(audience, this.registry.of(name), this.options.baseUrl);
  }
}
