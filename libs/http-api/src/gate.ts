import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import type { Authenticator } from './auth/authenticator';
import type { KeyRecord } from './auth/key-record';
import { denialOf } from './auth/permissions';
import { type EndpointDefinition, isOperatorEndpoint } from './endpoint-definition';
import type { ApiError } from './errors/api-error';
import type { RateLimiter } from './rate-limit/rate-limiter';

export interface GateOptions {
  readonly authenticator: Authenticator;
  readonly rateLimiter: RateLimiter;
  readonly operatorDenial: (authorization: string | undefined) => ApiError | undefined;
  readonly recordUse: (keyId: string) => void;
}

/**
 * Decides who comes in, before a byte of the body is read: key, rate limit, verification, scope, capability, in this
 * order. It answers within the same tick for every key it remembers, so it takes callbacks instead of promises.
 */
export class Gate {
  constructor(private readonly options: GateOptions) {}

  check(request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void {
    const { endpoint } = request.routeOptions.config;
    if (endpoint === undefined) return done();
    const { authorization } = request.headers;
    if (isOperatorEndpoint(endpoint)) return done(this.options.operatorDenial(authorization));
    const found = this.options.authenticator.identify(authorization, request);
    const admit = (record: KeyRecord) => this.admit(record, endpoint, request, reply, done);
    if (found instanceof Promise) found.then(admit, done);
    else admit(found);
  }

  private admit(
    record: KeyRecord,
    endpoint: EndpointDefinition,
    request: FastifyRequest,
    reply: FastifyReply,
    done: HookHandlerDoneFunction,
  ): void {
    const { companyId, environment } = record.caller;
    const verdict = this.options.rateLimiter.count(companyId, environment, endpoint.rateLimit);
    if (verdict !== undefined) {
      reply.header('ratelimit-policy', verdict.headers.policy);
      reply.header('ratelimit', verdict.headers.remaining);
      if (verdict.refusal !== undefined) return done(verdict.refusal);
    }
    if (denialOf(record, endpoint) === undefined) return this.enter(record, request, done);
    // What was missing may have been granted a moment ago, on any replica.
    this.options.authenticator.readAgain(record).then((fresh) => {
      const denial = denialOf(fresh, endpoint);
      if (denial === undefined) this.enter(fresh, request, done);
      else done(denial);
    }, done);
  }

  private enter(record: KeyRecord, request: FastifyRequest, done: HookHandlerDoneFunction): void {
    request.caller = record.caller;
    if (!record.useNoted) {
      record.useNoted = true;
      this.options.recordUse(record.caller.keyId);
    }
    done();
  }
}
