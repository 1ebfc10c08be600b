import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Server } from 'node:http';

const sweepEveryMs = 50;

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
