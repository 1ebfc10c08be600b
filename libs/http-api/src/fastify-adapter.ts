import { FastifyAdapter } from '@nestjs/platform-fastify';
import { respondToMalformedHttp, respondToUnroutable } from './errors/before-routing';
import { requestIdOf } from './request-id';

export const bodyLimitBytes = 64 * 1024;

/** The HTTP server, with the limits that hold before any of our code runs. */
export function createFastifyAdapter(): FastifyAdapter {
  return new FastifyAdapter({
    bodyLimit: bodyLimitBytes,
    // Behind a proxy the address of a client is the proxy's: a forwarded one can be forged, and nothing rests on it.
    trustProxy: false,
    // Longer than the idle time of the usual load balancers, so that it is they who close an idle connection.
    keepAliveTimeout: 72_000,
    requestTimeout: 30_000,
    routerOptions: { caseSensitive: true, maxParamLength: 128 },
    logger: false,
    requestIdHeader: false,
    genReqId: requestIdOf,
    frameworkErrors: respondToUnroutable,
    clientErrorHandler: respondToMalformedHttp,
    // While it drains, a request that still arrives is served; the body of Fastify's own 503 is not ours.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    // No middleware is used, and even an empty chain of them costs every request.
    skipMiddie: true,
  });
}
