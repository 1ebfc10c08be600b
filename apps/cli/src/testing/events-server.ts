import type { WebhookEvent } from '@florin/webhooks-domain';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** `GET /api/v1/events` and `POST /api/v1/sandbox/events` over real HTTP, with events that a spec makes. */
export class EventsServer {
  readonly events: WebhookEvent[] = [];
  readonly keys: (string | undefined)[] = [];
  triggered: unknown[] = [];
  /** What to answer instead, while it is set. */
  trouble?: { readonly statusCode: number; readonly code: string };
  asked = 0;
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
    this.asked += 1;
    this.keys.push(request.headers.authorization);
    const { statusCode, body } = await this.answer(request);
    response.writeHead(statusCode, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }

  private async answer(request: IncomingMessage): Promise<{ readonly statusCode: number; readonly body: unknown }> {
    if (this.trouble !== undefined) {
      const { statusCode, code } = this.trouble;
      return { statusCode, body: { statusCode, code, message: `That is ${code}.` } };
    }
    const { pathname, searchParams } = new URL(request.url!, this.url);
    if (request.method === 'GET' && pathname === '/api/v1/events')
      return { statusCode: 200, body: this.page(searchParams) };
    if (pathname !== '/api/v1/sandbox/events')
      return { statusCode: 404, body: { message: `Nothing is at ${pathname}.` } };
    let text = '';
    for await (const chunk of request) text += String(chunk);
    this.triggered.push(JSON.parse(text));
    return { statusCode: 202, body: { id: 'evt_1', ...(JSON.parse(text) as object) } };
  }

  /** Small pages, the newest first, with the place of the next one as cursor. */
  private page(query: URLSearchParams): unknown {
    const from = query.get('createdFrom') ?? '';
    const all = this.events.filter(({ createdAt }) => createdAt >= from).reverse();
    const start = Number(query.get('cursor') ?? 0);
    const end = start + Math.min(Number(query.get('limit')), 2);
    return { data: all.slice(start, end), ...(end < all.length && { nextCursor: String(end) }) };
  }
}
