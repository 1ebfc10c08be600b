import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Authenticator } from './auth/authenticator';
import type { KeyRecord } from './auth/key-record';
import { denialOf, denialOfRequest, type LiveConnections } from './auth/permissions';
import { type EndpointDefinition, isOperatorEndpoint } from './endpoint-definition';
import type { ApiError } from './errors/api-error';
import type { RateLimiter } from './rate-limit/rate-limiter';

export interface RequestAuthorizerOptions extends LiveConnections {
  readonly authenticator: Authenticator;
  readonly rateLimiter: RateLimiter;
  readonly operatorDenial: (authorization: string | undefined) => ApiError | undefined;
  readonly recordUse: (keyId: string) => void;
}

/** Called with the error, or with the authorized key. A route that requires no key passes neither. */
export type AuthorizationCallback = (error?: Error, record?: KeyRecord) => void;

/**
 * Authorizes a request before its body is read, in this order: key, rate limit, verification, scope, capability.
 * Takes callbacks instead of promises: a cached key is authorized within the same tick.
 */
export class RequestAuthorizer {
  constructor(private readonly options: RequestAuthorizerOptions) {}

  authorize(request: FastifyRequest, reply: FastifyReply, done: AuthorizationCallback): void {
    const { endpoint } = request.routeOptions.config;
    if (endpoint === undefined) return done();
    const { authorization } = request.headers;
    if (isOperatorEndpoint(endpoint)) return done(this.options.operatorDenial(authorization));
    const found = this.options.authenticator.identify(authorization);
    const checkKey = (record: KeyRecord) => this.authorizeKey(record, endpoint, request, reply, done);
    if (found instanceof Promise) found.then(checkKey, done);
    else checkKey(found);
  }

  /** Checks the additional permissions that depend on the body, once it is parsed. */
  authorizeBody(record: KeyRecord | undefined, request: FastifyRequest, done: (denial?: Error) => void): void {
    const { endpoint } = request.routeOptions.config;
    if (record === undefined || endpoint === undefined || isOperatorEndpoint(endpoint)) return done();
    if (endpoint.permissionsOf === undefined) return done();
    const needed = endpoint.permissionsOf(request.body);
    this.confirmDenial(record, ({ caller }) => denialOfRequest(caller, needed, this.options), done);
  }

  private authorizeKey(
    record: KeyRecord,
    endpoint: EndpointDefinition,
    request: FastifyRequest,
    reply: FastifyReply,
    done: AuthorizationCallback,
  ): void {
    const { companyId, environment } = record.caller;
    const limit = this.options.rateLimiter.count(companyId, environment, endpoint.rateLimit);
    if (limit !== undefined) {
      reply.header('ratelimit-policy', limit.headers.policy);
      reply.header('ratelimit', limit.headers.remaining);
      if (limit.refusal !== undefined) return done(limit.refusal);
    }
    this.confirmDenial(
      record,
      (key) => denialOf(key, endpoint, this.options),
      (denial, key) => (key === undefined ? done(denial) : this.accept(key, request, done)),
    );
  }

  /** Another replica may have granted the permission a moment ago, so a denial is only given after a fresh read. */
  private confirmDenial(
    record: KeyRecord,
    denial: (record: KeyRecord) => ApiError | undefined,
    done: AuthorizationCallback,
  ): void {
    if (denial(record) === undefined) return done(undefined, record);
    this.options.authenticator.readAgain(record).then((fresh) => {
      const confirmed = denial(fresh);
      done(confirmed, confirmed === undefined ? fresh : undefined);
    }, done);
  }

  private accept(record: KeyRecord, request: FastifyRequest, done: AuthorizationCallback): void {
    request.caller = record.caller;
    if (!record.useRecorded) {
      record.useRecorded = true;
      this.options.recordUse(record.caller.keyId);
    }
    done(undefined, record);
  }
}
