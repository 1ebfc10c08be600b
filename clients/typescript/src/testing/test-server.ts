import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Instead of a JSON body. */
  readonly text?: string;
}

/** What a server can do to a client: respond, close the connection before or within the response, or never respond. */
export type Behavior = Reply | 'disconnect' | 'truncate' | 'hang';

export interface ReceivedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A real HTTP server that follows a script. The last behavior applies to all further requests. */
export class TestServer {
  readonly requests: ReceivedRequest[] = [];
  private script: readonly Behavior[] = [];
  private served = 0;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<TestServer> {
    const server = createServer();
    const test = new TestServer(server);
    server.on('request', (request, response: ServerResponse) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { method = '', url = '', headers } = request;
        test.requests.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
        test.behave(response);
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return test;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Forgets earlier requests. */
  follow(...script: readonly Behavior[]): void {
    this.script = script;
    this.served = 0;
    this.requests.length = 0;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private behave(response: ServerResponse): void {
    const behavior = this.script[Math.min(this.served, this.script.length - 1)] ?? {};
    this.served += 1;
    if (behavior === 'hang') return;
    if (behavior === 'disconnect') return void response.destroy();
    if (behavior === 'truncate') {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
      response.write('{"id":');
      // The head must have been sent, so that the client has a response without its end.
      return void setImmediate(() => response.destroy());
    }
    const { status = 200, headers, body = {}, text = JSON.stringify(body) } = behavior;
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(status === 204 ? '' : text);
  }
}

/** An error as Florin sends it. */
export function errorReply(status: number, code: string, headers: Readonly<Record<string, string>> = {}): Reply {
  const body = { statusCode: status, code, message: `It is ${code}: do something.`, requestId: 'req-1' };
  return { status, headers: { 'x-request-id': 'req-1', ...headers }, body };
}
