import { type ServerProcess, startServerProcess, startTemporaryProduct } from '@florin/dev-platform';
import { join } from 'node:path';

export interface ProductProcess extends ServerProcess {
  readonly operatorToken: string;
}

/** The product as `npm start` runs it, in a separate process and without rate limits. */
export function startProduct(): Promise<ProductProcess> {
  return startTemporaryProduct({ PATH: process.env['PATH'], RATE_LIMIT_SANDBOX: '0', RATE_LIMIT_LIVE: '0' });
}

export function startEmptyPost(): Promise<ServerProcess> {
  return startServerProcess({ file: join(__dirname, 'empty-post-server.js') });
}
