import { type ServerProcess, startServerProcess, startTemporaryProduct } from '@florin/dev-platform';
import { join } from 'node:path';

export interface ProductProcess extends ServerProcess {
  readonly operatorToken: string;
}

/** The product as `npm start` runs it, in a separate process and without rate limits. */
export function startProduct(env: NodeJS.ProcessEnv = {}): Promise<ProductProcess> {
  const unlimited = { RATE_LIMIT_SANDBOX: '0', RATE_LIMIT_LIVE: '0' };
  return startTemporaryProduct({ PATH: process.env['PATH'], ...unlimited, ...env });
}

export function startEmptyPost(): Promise<ServerProcess> {
  return startServerProcess({ file: join(__dirname, 'empty-post-server.js') });
}
