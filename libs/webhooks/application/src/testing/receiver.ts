import { createServer, type IncomingMessage } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { verifySignature } from '@florin/kernel';
import { type ResponseName, scriptedResponses } from './scripted-responses';
import { selfSigned } from './self-signed';

export interface Received {
  readonly path: string;
  readonly eventId: string;
  readonly signature: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** A webhook endpoint on loopback. The first part of a path selects the response: see `scriptedResponses`. */
export class Receiver {
  readonly received: Received[] = [];
  /** All connections since the start. */
  connections = 0;
  /** Overrides the response of a path, for endpoints that change. */
  readonly instead = new Map<string, ResponseName>();
  private onAborted: (bytesWritten: number) => void = () => undefined;
  private readonly waiting = new Map<() => void, number>();

  private constructor(
    private readonly server: Server & { closeAllConnections(): void },
    private readonly scheme: 'http' | 'https',
  ) {}

  static async start(scheme: 'http' | 'https' = 'http'): Promise<Receiver> {
    const server = scheme === 'http' ? createServer() : createSecureServer(selfSigned);
    const receiver = new Receiver(server, scheme);
    server.on('connection', () => receiver.connections++);
    server.on('request', (request: IncomingMessage, response) => {
      readBody(request).then(
        (body) => {
          const received = receiver.note(request, body);
          const name = receiver.instead.get(received.path) ?? (received.path.split('/')[1] as ResponseName);
          response.on('close', () => {
            if (!response.writableFinished) receiver.onAborted(request.socket.bytesWritten);
          });
          scriptedResponses[name](response);
        },
        () => response.destroy(),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  url(path: ResponseName | `${ResponseName}/${string}`): string {
    return `${this.scheme}://localhost:${this.port}/${path}`;
  }

  /** The requests to one path, in the order of arrival. */
  at(path: string): readonly Received[] {
    return this.received.filter((one) => one.path === `/${path}`);
  }

  async untilReceived(count: number): Promise<void> {
    if (this.received.length >= count) return;
    await new Promise<void>((resolve) => this.waiting.set(resolve, count));
  }

  /** Waits for the next response that the client aborts and returns the bytes written. */
  untilAborted(): Promise<number> {
    return new Promise((resolve) => (this.onAborted = resolve));
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    await closed;
  }

  private note({ url = '', headers }: IncomingMessage, body: string): Received {
    const { 'webhook-id': eventId = '', 'service-signature': signature = '' } = headers;
    const received = { path: url, eventId: `${eventId}`, signature: `${signature}`, headers, body };
    this.received.push(received);
    for (const [resolve, count] of this.waiting) {
      if (this.received.length >= count && this.waiting.delete(resolve)) resolve();
    }
    return received;
  }
}

/** Whether it was signed with the secret at that time. */
export function isSigned({ signature, body }: Received, secret: string, at: Date): boolean {
  return verifySignature(signature, body, [secret], Math.floor(at.getTime() / 1000), 300);
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
