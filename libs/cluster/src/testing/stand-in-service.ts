import { temporaryDataDirectory } from '@florin/database';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A service that does what every service has to: it tells its health, and on SIGTERM ends after its notice and what is
 * under way.
 * `/slow` is answered when SIGTERM has come; `CRASH` makes it end at once, `STUBBORN` makes it ignore SIGTERM.
 */
const source = `
  const { createServer } = require('node:http');
  if (process.env.CRASH) { console.error(process.env.CRASH); process.exit(1); }
  let reason = process.env.NOT_READY;
  let slow = [];
  const answers = {
    '/health/ready': (response) => {
      response.statusCode = reason ? 503 : 200;
      response.end(JSON.stringify({ checks: { mood: reason ? { ok: false, reason } : { ok: true } } }));
    },
    '/spoil': (response) => { reason = 'spoilt'; response.end(); },
    '/slow': (response) => slow.push(response),
  };
  const server = createServer((request, response) => {
    const { pid, env } = process;
    const answer = answers[request.url] ?? (() => response.end(JSON.stringify({ pid, env })));
    answer(response);
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

/** Answers the file's path. */
export function writeStandInService(folder: string): string {
  const file = join(folder, 'stand-in-service.js');
  writeFileSync(file, source);
  return file;
}
