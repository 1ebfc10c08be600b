import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Server, ServerResponse } from 'node:http';

const sweepEveryMs = 50;

/**
 * Keeps serving for a while, with `Connection: close` on every response, so that clients reconnect elsewhere. Closing the
 * connections at once would lose requests that are being sent.
 */
export async function drainConnections(app: NestFastifyApplication, forMs: number): Promise<void> {
  if (forMs === 0) return;
  const server = app.getHttpServer() as Server;
  server.prependListener('request', (_request, response: ServerResponse) => response.setHeader('connection', 'close'));
  await new Promise((resolve) => setTimeout(resolve, forMs));
}

/**
 * Closes the application after the requests in progress. Node closes only the connections that are idle when the server
 * begins to close. Connections that become idle later are swept here, and those that never sent a request are cut off.
 */
export async function closeApp(app: NestFastifyApplication, timeoutMs: number): Promise<void> {
  await closing(app.getHttpServer() as Server, timeoutMs, () => app.close());
}

/** Closes a server of an additional port in the same way. */
export async function closeServer(server: Server, timeoutMs: number): Promise<void> {
  await closing(server, timeoutMs, () => new Promise<void>((resolve) => server.close(() => resolve())));
}

async function closing(server: Server, timeoutMs: number, close: () => Promise<void>): Promise<void> {
  const sweep = setInterval(() => {
    if (!server.listening) server.closeIdleConnections();
  }, sweepEveryMs);
  const cutOff = setTimeout(() => server.closeAllConnections(), timeoutMs);
  try {
    await close();
  } finally {
    clearInterval(sweep);
    clearTimeout(cutOff);
  }
}
