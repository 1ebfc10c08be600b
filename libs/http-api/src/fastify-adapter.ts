import { randomId } from '@florin/kernel';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { bodyLimitBytes } from './body-size';
import { respondToMalformedHttp, respondToUnroutable } from './errors/before-routing';

// Longer than the idle timeout of common load balancers, so that they close idle connections first.
const keepAliveTimeout = 72_000;
const requestTimeout = 30_000;
/** A client that reads nothing of its response for this long is disconnected, which frees the response. */
const connectionTimeout = 60_000;

/**
 * The HTTP server, with the limits that apply before any handler runs. Forwarded addresses can be forged, so they are taken
 * from trusted proxies only; without any, the address of a client is that of its connection.
 */
export function createFastifyAdapter(trustedProxies: readonly string[] = []): FastifyAdapter {
  return new FastifyAdapter({
    bodyLimit: bodyLimitBytes,
    trustProxy: trustedProxies.length === 0 ? false : [...trustedProxies],
    keepAliveTimeout,
    requestTimeout,
    connectionTimeout,
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

/** A server that passes requests to an application, with the same limits. */
export function createHttpServer(handle: RequestListener): Server {
  const server = createServer({ keepAliveTimeout, requestTimeout }, handle);
  return server
    .setTimeout(connectionTimeout)
    .on('clientError', (error, socket) => respondToMalformedHttp(error, socket as Socket));
}

const visibleAscii = /^[\x21-\x7e]{1,128}$/;

/** The client's `X-Request-Id` if it is valid for a log line and a header, else a new id. */
function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && visibleAscii.test(given) ? given : randomId();
}
