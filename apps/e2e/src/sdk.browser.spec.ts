import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { TestBrowser } from './harness/browser';
import { sharedFlorin } from './harness/florin';
import { root } from './harness/florin-process';
import { Operator } from './harness/operator';
import type { RunningFlorin } from './harness/running-florin';

/** What a page does with the compiled SDK. */
const program = `(async () => {
  const { Florin, webhooks } = await import('/sdk/index.js');
  const florin = new Florin({ apiKey: 'fl_test_added-by-the-server', baseUrl: location.origin });
  await florin.sandbox.fund({ amount: '250.00' });
  const { available } = await florin.balance.get();
  const code = await florin.cards.get('unknown').catch((error) => error.code);
  const body = JSON.stringify({ id: 'evt_1', type: 'card.created' });
  const { id } = await webhooks.verify(body, await webhooks.sign(body, 'whsec_x'), 'whsec_x');
  return [available, code, id];
})()`;

describe('The TypeScript SDK in a browser', () => {
  let florin: RunningFlorin;
  let apiKey: string;
  let server: Server;
  let browser: TestBrowser;

  beforeAll(async () => {
    florin = await sharedFlorin();
    apiKey = (await new Operator(florin).newAccount()).key!;
    server = createServer((request, reply) => void serve(request, reply)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    browser = await TestBrowser.start();
  });

  afterAll(async () => {
    await browser.close();
    server.closeAllConnections();
    server.close();
  });

  /** A page, the SDK, and the API, to which it adds the key. */
  async function serve(request: IncomingMessage, reply: ServerResponse): Promise<void> {
    const { method, url = '', headers } = request;
    if (url.startsWith('/sdk/')) {
      const file = join(root, 'clients/typescript/dist/esm', url.slice('/sdk/'.length));
      return void reply.setHeader('content-type', 'text/javascript').end(readFileSync(file));
    }
    if (!url.startsWith('/api/')) return void reply.setHeader('content-type', 'text/html').end('<title>Shop</title>');
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const sent = { 'content-type': 'application/json', 'idempotency-key': headers['idempotency-key'] as string };
    const response = await fetch(`${florin.baseUrl}${url}`, {
      method,
      headers: { ...(method === 'POST' && sent), authorization: `Bearer ${apiKey}` },
      ...(method === 'POST' && { body: Buffer.concat(chunks) }),
    });
    reply.writeHead(response.status, { 'content-type': 'application/json' }).end(await response.text());
  }

  it('sends requests and verifies webhooks', async () => {
    const { page } = await browser.open(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    expect(await page.evaluate(program)).toEqual(['250.00', 'not_found', 'evt_1']);
  });
});
