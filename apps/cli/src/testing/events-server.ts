import type { WebhookEvent } from '@florin/webhooks-domain';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** `GET /api/v1/events` and `POST /api/v1/sandbox/events` over real HTTP, with the events of a spec. */
export class EventsServer {
  readonly events: WebhookEvent[] = [];
  readonly keys: (string | undefined)[] = [];
  triggered: unknown[] = [];
  /** Returned for every request while set. */
  failure?: { readonly statusCode: number; readonly code: string };
  requestCount = 0;
  private readonly server = createServer((request, response) => void this.serve(request, response));

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.requestCount += 1;
    this.keys.push(request.headers.authorization);
    const { statusCode, body } = await this.respond(request);
    response.writeHead(statusCode, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }

  private async respond(request: IncomingMessage): Promise<{ readonly statusCode: number; readonly body: unknown }> {
    if (this.failure !== undefined) {
      const { statusCode, code } = this.failure;
      return { statusCode, body: { statusCode, code, message: `That is ${code}.` } };
    }
    const { pathname, searchParams } = new URL(request.url!, this.url);
    if (request.method === 'GET' && pathname === '/api/v1/events')
      return { statusCode: 200, body: this.page(searchParams) };
    if (pathname !== '/api/v1/sandbox/events') return { statusCode: 404, body: { message: `Not found: ${pathname}` } };
    let text = '';
    for await (const chunk of request) text += String(chunk);
    this.triggered.push(JSON.parse(text));
    return { statusCode: 202, body: { id: 'evt_1', ...(JSON.parse(text) as object) } };
  }

  /** Pages of two, newest first; the cursor is the index of the next event. */
  private page(query: URLSearchParams): unknown {
    const from = query.get('createdFrom') ?? '';
    const all = this.events.filter(({ createdAt }) => createdAt >= from).reverse();
    const start = Number(query.get('cursor') ?? 0);
    const end = start + Math.min(Number(query.get('limit')), 2);
    return { data: all.slice(start, end), ...(end < all.length && { nextCursor: String(end) }) };
  }
}
