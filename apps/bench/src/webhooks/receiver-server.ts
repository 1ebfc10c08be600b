import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Takes whatever is posted to it as fast as Node can, but for what is posted to `/hang`: that is never answered. */
const server = createServer((request, response) => {
  request.resume();
  if (request.url !== '/hang') request.on('end', () => response.end());
});

server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
process.on('SIGTERM', () => process.exit(0));
