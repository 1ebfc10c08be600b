import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

export const loopback = '127.0.0.1';

/**
 * Below the ports that systems assign to outgoing connections. A port from that range could be taken by a client's own
 * connection attempt while its server restarts, and the server could not listen there again.
 */
const [minPort, maxPort] = [20_000, 32_000];
const maxAttempts = 100;

/** Ports handed out before: their new owner may not be listening yet. */
const reserved = new Set<number>();

/** A free port of the loopback address. This process does not return the same port again until it is released. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const port = randomInt(minPort, maxPort);
    if (reserved.has(port)) continue;
    reserved.add(port);
    if (await isPortFree(port)) return port;
    reserved.delete(port);
  }
  throw new Error(`No free port found between ${minPort} and ${maxPort} in ${maxAttempts} attempts.`);
}

export function releasePort(port: number): void {
  reserved.delete(port);
}

export async function isPortFree(port: number): Promise<boolean> {
  const probe = createServer().listen(port, loopback);
  try {
    await once(probe, 'listening');
  } catch {
    return false;
  }
  probe.close();
  await once(probe, 'close');
  return true;
}
