import { temporaryDataDirectory } from '@florin/database';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A service with the lifecycle of the real ones: it reports its readiness, and on SIGTERM it exits after its notice period
 * and its open requests. `/slow` responds after SIGTERM; `CRASH` makes it exit at once, `STUBBORN` makes it ignore SIGTERM.
 */
const source = `
  const { createServer } = require('node:http');
  if (process.env.CRASH) { console.error(process.env.CRASH); process.exit(1); }
  let reason = process.env.NOT_READY;
  let slow = [];
  const routes = {
    '/health/ready': (response) => {
      response.statusCode = reason ? 503 : 200;
      response.end(JSON.stringify({ checks: { sample: reason ? { ok: false, reason } : { ok: true } } }));
    },
    '/fail': (response) => { reason = 'set by the test'; response.end(); },
    '/slow': (response) => slow.push(response),
  };
  const server = createServer((request, response) => {
    const { pid, env } = process;
    const respond = routes[request.url] ?? (() => response.end(JSON.stringify({ pid, env })));
    respond(response);
  });
  server.listen(Number(process.env.PORT), process.env.HOST, () => console.log('listening'));
  process.on('SIGTERM', () => {
    if (process.env.STUBBORN) return;
    setTimeout(() => {
      for (const response of slow) response.end(String(process.pid));
      server.close(() => process.exit(0));
    }, Number(process.env.SHUTDOWN_NOTICE_SECONDS || 0) * 1000);
  });
`;

export function newFolder(): string {
  return temporaryDataDirectory('florin-cluster-');
}

/** Returns the path of the file. */
export function writeStubService(folder: string): string {
  const file = join(folder, 'stub-service.js');
  writeFileSync(file, source);
  return file;
}
