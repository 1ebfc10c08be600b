import { Controller, Get, Header, Inject } from '@nestjs/common';
import { HTTP_API_OPTIONS, type HttpApiOptions } from '../http-api-options';
import { type Audience, openApiDocument, operatorAudience, publicAudience } from './document';
import type { OpenApiDocument } from './document-types';
import { EndpointRegistry } from './endpoint-registry';
import { referencePage } from './reference-page';

/** Open to everybody. Routes are fixed once the process listens, so that everything is made once. */
@Controller()
export class ReferenceController {
  private publicDocument?: OpenApiDocument;
  private operatorDocument?: OpenApiDocument;
  private page?: string;

  constructor(
    private readonly registry: EndpointRegistry,
    @Inject(HTTP_API_OPTIONS) private readonly options: HttpApiOptions,
  ) {}

  @Get('/api/v1/openapi.json')
  readPublic(): OpenApiDocument {
    return (this.publicDocument ??= this.document(publicAudience, 'public'));
  }

  @Get('/operator/v1/openapi.json')
  readOperator(): OpenApiDocument {
    return (this.operatorDocument ??= this.document(operatorAudience, 'operator'));
  }

  /** Nothing may run or load on the page: it is text and its own style. */
  @Get('/reference')
  @Header('content-type', 'text/html; charset=utf-8')
  @Header(
    'content-security-policy',
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
  )
  read(): string {
    return (this.page ??= referencePage(this.readPublic()));
  }

  private document(audience: Audience, name: 'public' | 'operator'): OpenApiDocument {
    return openApiDocument(audience, this.registry.of(name), this.options.baseUrl);
  }
}
