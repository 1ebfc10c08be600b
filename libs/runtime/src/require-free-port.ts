import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Config } from './config';

/** Listens for a moment, so that a port in use is reported before a database is created. */
export async function requireFreePort({ HOST }: Pick<Config, 'HOST'>, port: number | undefined): Promise<void> {
  const probe = createServer().listen(port, HOST);
  await once(probe, 'listening');
  probe.close();
  await once(probe, 'close');
}
