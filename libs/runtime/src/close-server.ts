import type { Server, ServerResponse } from 'node:http';

const sweepEveryMs = 50;

/**
 * Keeps serving for a while, with `Connection: close` on every response, so that clients reconnect elsewhere. Closing the
 * connections at once would lose requests that are being sent.
 */
export async function drainConnections(servers: readonly Server[], forMs: number): Promise<void> {
  if (forMs === 0) return;
  for (const server of servers) {
    server.prependListener('request', (_request, response: ServerResponse) => {
      response.setHeader('connection', 'close');
    });
  }
  await new Promise((resolve) => setTimeout(resolve, forMs));
}

/**
 * Closes a server after the requests in progress. Node closes only the connections that are idle when the server begins to
 * close. Connections that become idle later are swept here, and those that never sent a request are cut off.
 */
export async function closeServer(server: Server, timeoutMs: number): Promise<void> {
  const sweep = setInterval(() => {
    if (!server.listening) server.closeIdleConnections();
  }, sweepEveryMs);
  const cutOff = setTimeout(() => server.closeAllConnections(), timeoutMs);
  try {
    await new Promise<void>((resolve) => server.close(() => resolve()));
  } finally {
    clearInterval(sweep);
    clearTimeout(cutOff);
  }
}
