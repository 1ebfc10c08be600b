import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Server, ServerResponse } from 'node:http';

const sweepEveryMs = 50;

/**
 * Goes on serving for a while, and has every client open its next connection elsewhere. Closing a connection under a
 * client would lose the request that it is just sending.
 */
export async function sendElsewhere(app: NestFastifyApplication, forMs: number): Promise<void> {
  if (forMs === 0) return;
  const server = app.getHttpServer() as Server;
  server.prependListener('request', (_request, response: ServerResponse) => response.setHeader('connection', 'close'));
  await new Promise((resolve) => setTimeout(resolve, forMs));
}

/**
 * Closes the application after what is under way. Node closes the connections that are idle at the moment when a server
 * begins to close, and no others: those that have just been answered would be kept alive by their clients for as long as
 * these like, and one that has never sent anything counts as busy.
 */
export async function closeApp(app: NestFastifyApplication, patienceMs: number): Promise<void> {
  const server = app.getHttpServer() as Server;
  const sweep = setInterval(() => {
    if (!server.listening) server.closeIdleConnections();
  }, sweepEveryMs);
  const cutOff = setTimeout(() => server.closeAllConnections(), patienceMs);
  try {
    await app.close();
  } finally {
    clearInterval(sweep);
    clearTimeout(cutOff);
  }
}
