import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SeenRequest {
  readonly line: string;
  readonly authorization: string | undefined;
  readonly contentType: string | undefined;
  readonly idempotencyKey?: string;
  readonly body: unknown;
}

export interface OperatorServer {
  readonly url: string;
  /** Returns the requests since the last call. */
  takeRequests(): readonly SeenRequest[];
  /** Sets the response to every later request. */
  respondWith(statusCode: number, body: unknown): void;
  /** Sets the response to the next request; several calls set those of the next requests, in order. */
  respondOnceWith(statusCode: number, body: unknown): void;
  close(): Promise<void>;
}

/** An HTTP server on loopback that records requests and returns a configured response. A 429 may be repeated at once. */
export async function startOperatorServer(): Promise<OperatorServer> {
  let requests: SeenRequest[] = [];
  let configured = { statusCode: 200, text: '{}' };
  const once: (typeof configured)[] = [];
  const toResponse = (statusCode: number, body: unknown) => {
    return { statusCode, text: typeof body === 'string' ? body : JSON.stringify(body) };
  };
  const server = createServer((request, response) => {
    void readBody(request).then((body) => {
      const { authorization, 'content-type': contentType, 'idempotency-key': key } = request.headers;
      const idempotencyKey = typeof key === 'string' ? { idempotencyKey: key } : {};
      requests.push({ line: `${request.method} ${request.url}`, authorization, contentType, ...idempotencyKey, body });
      const { statusCode, text } = once.shift() ?? configured;
      const retry = statusCode === 429 && { 'retry-after': '0' };
      const headers = { 'content-type': 'application/json', location: '/elsewhere', ...retry };
      response.writeHead(statusCode, headers).end(text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    takeRequests: () => requests.splice(0),
    respondWith: (statusCode, body) => {
      requests = [];
      configured = toResponse(statusCode, body);
    },
    respondOnceWith: (statusCode, body) => void once.push(toResponse(statusCode, body)),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text === '' ? undefined : (JSON.parse(text) as unknown);
}
