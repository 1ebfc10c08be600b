import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Config } from './config';

/** Listens for a moment, so that a port in use is reported before a database is created. */
export async function requireFreePort({ HOST, PORT }: Pick<Config, 'HOST' | 'PORT'>): Promise<void> {
  const probe = createServer().listen(PORT, HOST);
  await once(probe, 'listening');
  probe.close();
  await once(probe, 'close');
}
