import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Accepts every POST as fast as Node can, except that `/hang` never responds. */
const server = createServer((request, response) => {
  request.resume();
  if (request.url !== '/hang') request.on('end', () => response.end());
});

server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
process.on('SIGTERM', () => process.exit(0));
