import { CLOCK } from '@florin/event-sourcing';
import type { Clock } from '@florin/kernel';
import { ApiKeyUsage, CompanyQueries } from '@florin/read-models';
import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { Authenticator } from './auth/authenticator';
import { operatorDenial } from './auth/operator-token';
import { Commands } from './commands';
import { Cursors } from './cursors/cursors';
import { RequestAuthorizer } from './request-authorizer';
import { HTTP_API_OPTIONS, type HttpApiOptions } from './http-api-options';
import { SignedCallbacks } from './issuer/v1/signed-callbacks';
import { EndpointRegistry } from './openapi/endpoint-registry';
import { ReferenceController } from './openapi/reference.controller';
import { CompaniesController } from './operator/v1/companies.controller';
import { CompanyAdministration } from './operator/v1/company-administration';
import { KeysController } from './operator/v1/keys.controller';
import { RateLimiter } from './rate-limit/rate-limiter';
import { ReceiverRules } from './v1/webhook-endpoints/receiver-rules';

const providers: Provider[] = [
  Commands,
  CompanyQueries,
  CompanyAdministration,
  EndpointRegistry,
  {
    provide: Authenticator,
    inject: [CompanyQueries, CLOCK],
    useFactory: (keys: CompanyQueries, clock: Clock) => new Authenticator({ keys, clock }),
  },
  {
    provide: Cursors,
    inject: [HTTP_API_OPTIONS],
    useFactory: ({ cursorSecret }: HttpApiOptions) => new Cursors(cursorSecret),
  },
  {
    provide: SignedCallbacks,
    inject: [HTTP_API_OPTIONS, CLOCK],
    useFactory: ({ issuerSecret }: HttpApiOptions, clock: Clock) => new SignedCallbacks(issuerSecret, clock),
  },
  {
    provide: ReceiverRules,
    inject: [HTTP_API_OPTIONS],
    useFactory: ({ webhookAllowLoopback }: HttpApiOptions) => new ReceiverRules(webhookAllowLoopback),
  },
  {
    provide: RequestAuthorizer,
    inject: [HTTP_API_OPTIONS, Authenticator, ApiKeyUsage, CLOCK],
    useFactory: (options: HttpApiOptions, authenticator: Authenticator, usage: ApiKeyUsage, clock: Clock) =>
      new RequestAuthorizer({
        authenticator,
        rateLimiter: new RateLimiter(options.rateLimits, clock),
        operatorDenial: operatorDenial(options.operatorToken),
        recordUse: (keyId) => usage.record(keyId, clock.now()),
        liveIssuer: options.liveIssuer,
        liveChain: options.liveChain,
      }),
  },
];

/**
 * The common ground of every endpoint, and the operator API. Global, so that the module of each resource finds what it
 * needs without asking. The composition provides the ports and `ApiKeyUsage`, and calls `installHttp` on the application.
 */
@Module({})
export class HttpApiModule {
  static forRoot(options: HttpApiOptions): DynamicModule {
    return {
      module: HttpApiModule,
      global: true,
      controllers: [ReferenceController, CompaniesController, KeysController],
      providers: [{ provide: HTTP_API_OPTIONS, useValue: options }, ...providers],
      exports: [Commands, Cursors, Authenticator, CompanyQueries, SignedCallbacks, ReceiverRules],
    };
  }
}
