import { FastifyAdapter } from '@nestjs/platform-fastify';
import { respondToMalformedHttp, respondToUnroutable } from './errors/before-routing';
import { requestIdOf } from './request-id';

export const bodyLimitBytes = 64 * 1024;

/** The HTTP server, with the limits that apply before any handler runs. */
export function createFastifyAdapter(): FastifyAdapter {
  return new FastifyAdapter({
    bodyLimit: bodyLimitBytes,
    // Forwarded addresses can be forged, and nothing depends on the address of a client.
    trustProxy: false,
    // Longer than the idle timeout of common load balancers, so that they close idle connections first.
    keepAliveTimeout: 72_000,
    requestTimeout: 30_000,
    routerOptions: { caseSensitive: true, maxParamLength: 128 },
    logger: false,
    requestIdHeader: false,
    genReqId: requestIdOf,
    frameworkErrors: respondToUnroutable,
    clientErrorHandler: respondToMalformedHttp,
    // Requests that arrive during a shutdown are still served.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    // There is no middleware, and even an empty chain costs every request.
    skipMiddie: true,
  });
}
