import { CLOCK } from '@florin/event-sourcing';
import type { Clock } from '@florin/kernel';
import { ApiKeyUsage } from '@florin/read-models';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Authenticator } from './auth/authenticator';
import type { KeyRecord } from './auth/key-record';
import { OperatorAuthenticator } from './auth/operator-authenticator';
import { denialOf, denialOfRequest } from './auth/permissions';
import {
  type EndpointDefinition,
  isOperatorEndpoint,
  type OperatorEndpointDefinition,
  type Permissions,
} from './endpoint-definition';
import type { ApiError } from './errors/api-error';
import { HTTP_API_OPTIONS, type HttpApiOptions } from './http-api-options';
import { RateLimiter } from './rate-limit/rate-limiter';
import { RequestTurns } from './rate-limit/request-turns';

/** Called with the error, or with the authorized key. A route that requires no key passes neither. */
export type AuthorizationCallback = (error?: Error, record?: KeyRecord) => void;

/**
 * Authorizes a request before its body is read, in this order: key, rate limit and turn, verification, scope, capability.
 * Takes callbacks instead of promises: a cached key is authorized within the same tick.
 */
@Injectable()
export class RequestAuthorizer {
  constructor(
    private readonly authenticator: Authenticator,
    private readonly operators: OperatorAuthenticator,
    private readonly rateLimiter: RateLimiter,
    private readonly turns: RequestTurns,
    private readonly keyUsage: ApiKeyUsage,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(HTTP_API_OPTIONS) private readonly options: HttpApiOptions,
  ) {}

  authorize(request: FastifyRequest, reply: FastifyReply, done: AuthorizationCallback): void {
    const { endpoint } = request.routeOptions.config;
    if (endpoint === undefined) return done();
    if (isOperatorEndpoint(endpoint)) return this.authorizeOperator(endpoint, request, done);
    const found = this.authenticator.identify(request.headers.authorization);
    const checkKey = (record: KeyRecord) => this.authorizeKey(record, endpoint, request, reply, done);
    if (found instanceof Promise) found.then(checkKey, done);
    else checkKey(found);
  }

  /** Checks the additional permissions that depend on the body, once it is parsed. */
  authorizeBody(record: KeyRecord | undefined, request: FastifyRequest, done: (denial?: Error) => void): void {
    const { endpoint } = request.routeOptions.config;
    if (record === undefined || endpoint === undefined || isOperatorEndpoint(endpoint)) return done();
    if (endpoint.permissionsOfItems !== undefined) {
      return this.refreshIfDenied(record, endpoint.permissionsOfItems(request.body), request, done);
    }
    if (endpoint.permissionsOf === undefined) return done();
    const needed = endpoint.permissionsOf(request.body);
    this.confirmDenial(record, ({ caller }) => denialOfRequest(caller, needed, this.options), done);
  }

  /** The endpoint rejects items by the permissions of `request.caller`, which must be current. */
  private refreshIfDenied(
    record: KeyRecord,
    needed: Iterable<Permissions>,
    request: FastifyRequest,
    done: (error?: Error) => void,
  ): void {
    for (const permissions of needed) {
      if (denialOfRequest(record.caller, permissions, this.options) === undefined) continue;
      this.authenticator.readAgain(record).then(({ caller }) => {
        request.caller = caller;
        done();
      }, done);
      return;
    }
    done();
  }

  private authorizeOperator(
    { role }: OperatorEndpointDefinition,
    request: FastifyRequest,
    done: AuthorizationCallback,
  ): void {
    this.operators.authorize(request.headers.authorization, role).then((operator) => {
      request.operator = operator;
      done();
    }, done);
  }

  private authorizeKey(
    record: KeyRecord,
    endpoint: EndpointDefinition,
    request: FastifyRequest,
    reply: FastifyReply,
    done: AuthorizationCallback,
  ): void {
    const { companyId, environment } = record.caller;
    const limit = this.rateLimiter.count(companyId, environment, endpoint.rateLimit);
    if (limit !== undefined) {
      reply.header('ratelimit-policy', limit.headers.policy);
      reply.header('ratelimit', limit.headers.remaining);
      if (limit.refusal !== undefined) return done(limit.refusal);
    }
    const check = () =>
      this.confirmDenial(
        record,
        (key) => denialOf(key, endpoint, this.options),
        (denial, key) => (key === undefined ? done(denial) : this.accept(key, request, done)),
      );
    // The others have a separate limit: a few per minute, or the number of operations in bulk requests.
    const waitMs = endpoint.rateLimit === undefined ? this.turns.msUntilTurn(record.caller) : 0;
    if (waitMs > 0) setTimeout(check, waitMs);
    else check();
  }

  /** Another replica may have granted the permission a moment ago, so a denial is only given after a fresh read. */
  private confirmDenial(
    record: KeyRecord,
    denial: (record: KeyRecord) => ApiError | undefined,
    done: AuthorizationCallback,
  ): void {
    if (denial(record) === undefined) return done(undefined, record);
    this.authenticator.readAgain(record).then((fresh) => {
      const confirmed = denial(fresh);
      done(confirmed, confirmed === undefined ? fresh : undefined);
    }, done);
  }

  private accept(record: KeyRecord, request: FastifyRequest, done: AuthorizationCallback): void {
    request.caller = record.caller;
    if (!record.useRecorded) {
      record.useRecorded = true;
      this.keyUsage.record(record.caller.keyId, this.clock.now());
    }
    done(undefined, record);
  }
}
