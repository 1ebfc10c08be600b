import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Authenticator } from './auth/authenticator';
import type { KeyRecord } from './auth/key-record';
import { denialOf, denialOfRequest, type LiveConnections } from './auth/permissions';
import { type EndpointDefinition, isOperatorEndpoint } from './endpoint-definition';
import type { ApiError } from './errors/api-error';
import type { RateLimiter } from './rate-limit/rate-limiter';

export interface GateOptions extends LiveConnections {
  readonly authenticator: Authenticator;
  readonly rateLimiter: RateLimiter;
  readonly operatorDenial: (authorization: string | undefined) => ApiError | undefined;
  readonly recordUse: (keyId: string) => void;
}

/** Called with an error, or with nothing and the key that was let in; whoever needs no key comes in without one. */
export type Verdict = (error?: Error, record?: KeyRecord) => void;

/**
 * Decides who comes in, before a byte of the body is read: key, rate limit, verification, scope, capability, in this
 * order. It answers within the same tick for every key it remembers, so it takes callbacks instead of promises.
 */
export class Gate {
  constructor(private readonly options: GateOptions) {}

  check(request: FastifyRequest, reply: FastifyReply, done: Verdict): void {
    const { endpoint } = request.routeOptions.config;
    if (endpoint === undefined) return done();
    const { authorization } = request.headers;
    if (isOperatorEndpoint(endpoint)) return done(this.options.operatorDenial(authorization));
    const found = this.options.authenticator.identify(authorization);
    const admit = (record: KeyRecord) => this.admit(record, endpoint, request, reply, done);
    if (found instanceof Promise) found.then(admit, done);
    else admit(found);
  }

  /** Once the body is there: what it asks for may need more of the key than the endpoint does by itself. */
  checkBody(record: KeyRecord | undefined, request: FastifyRequest, done: (denial?: Error) => void): void {
    const { endpoint } = request.routeOptions.config;
    if (record === undefined || endpoint === undefined || isOperatorEndpoint(endpoint)) return done();
    if (endpoint.permissionsOf === undefined) return done();
    const needed = endpoint.permissionsOf(request.body);
    this.unlessDenied(record, ({ caller }) => denialOfRequest(caller, needed, this.options), done);
  }

  private admit(
    record: KeyRecord,
    endpoint: EndpointDefinition,
    request: FastifyRequest,
    reply: FastifyReply,
    done: Verdict,
  ): void {
    const { companyId, environment } = record.caller;
    const verdict = this.options.rateLimiter.count(companyId, environment, endpoint.rateLimit);
    if (verdict !== undefined) {
      reply.header('ratelimit-policy', verdict.headers.policy);
      reply.header('ratelimit', verdict.headers.remaining);
      if (verdict.refusal !== undefined) return done(verdict.refusal);
    }
    this.unlessDenied(
      record,
      (key) => denialOf(key, endpoint, this.options),
      (denial, key) => (key === undefined ? done(denial) : this.enter(key, request, done)),
    );
  }

  /** What was missing may have been granted a moment ago, on any replica: a denial rests on a second look. */
  private unlessDenied(record: KeyRecord, denial: (record: KeyRecord) => ApiError | undefined, done: Verdict): void {
    if (denial(record) === undefined) return done(undefined, record);
    this.options.authenticator.readAgain(record).then((fresh) => {
      const confirmed = denial(fresh);
      done(confirmed, confirmed === undefined ? fresh : undefined);
    }, done);
  }

  private enter(record: KeyRecord, request: FastifyRequest, done: Verdict): void {
    request.caller = record.caller;
    if (!record.useNoted) {
      record.useNoted = true;
      this.options.recordUse(record.caller.keyId);
    }
    done(undefined, record);
  }
}
