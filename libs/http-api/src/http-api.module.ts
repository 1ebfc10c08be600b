import { AcceptedRequestQueries, CompanyQueries, OperatorQueries } from '@florin/read-models';
import { type DynamicModule, Module } from '@nestjs/common';
import { Authenticator } from './auth/authenticator';
import { OperatorAuthenticator } from './auth/operator-authenticator';
import { Commands } from './commands';
import { Cursors } from './pages';
import { HTTP_API_OPTIONS, type HttpApiOptions } from './http-api-options';
import { SignedCallbacks } from './issuer/v1/signed-callbacks';
import { EndpointRegistry } from './openapi/endpoint-registry';
import { ReferenceController } from './openapi/reference.controller';
import { CompaniesController } from './operator/v1/companies.controller';
import { CompanyAdministration } from './operator/v1/company-administration';
import { FourEyes } from './operator/v1/four-eyes';
import { KeysController } from './operator/v1/keys.controller';
import { CommandTurns } from './rate-limit/command-turns';
import { LimitSharing } from './rate-limit/limit-sharing';
import { RateLimiter } from './rate-limit/rate-limiter';
import { RequestTurns } from './rate-limit/request-turns';
import { RequestAuthorizer } from './request-authorizer';
import { ReceiverRules } from './v1/webhook-endpoints/receiver-rules';

/** The controllers that belong to no resource module. */
export const sharedControllers = [ReferenceController, CompaniesController, KeysController];

const shared = [
  ...[Commands, AcceptedRequestQueries, Cursors, Authenticator, CompanyQueries, OperatorAuthenticator, OperatorQueries],
  ...[SignedCallbacks, ReceiverRules, FourEyes, RateLimiter, RequestTurns, CommandTurns],
];

/**
 * What all endpoints share, and the operator API. Global, so that the modules of the resources need not import it. The
 * composition provides the ports and `ApiKeyUsage`, and calls `installHttp` on the application.
 */
@Module({})
export class HttpApiModule {
  static forRoot(options: HttpApiOptions): DynamicModule {
    return {
      module: HttpApiModule,
      global: true,
      controllers: sharedControllers,
      providers: [
        { provide: HTTP_API_OPTIONS, useValue: options },
        ...shared,
        ...[CompanyAdministration, EndpointRegistry, LimitSharing, RequestAuthorizer],
      ],
      exports: [...shared, HTTP_API_OPTIONS],
    };
  }
}
