import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { verifyWebhook, type WebhookEvent } from '@florin/webhook-verifier';

/** A request as it was received. */
export class Received {
  readonly arrivedAt = new Date();

  constructor(
    readonly path: string,
    readonly headers: IncomingHttpHeaders,
    readonly body: Buffer,
  ) {}

  /** From the header; the body must have the same. */
  get eventId(): string {
    return String(this.headers['webhook-id']);
  }

  get signature(): string {
    return String(this.headers['service-signature']);
  }

  /** The event; throws unless the request was signed with the secret just before it arrived. */
  verified(secret: string | readonly string[]): WebhookEvent {
    return verifyWebhook(this.body, this.signature, secret, { now: this.arrivedAt });
  }
}

export interface StubResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The delay before the response. */
  readonly afterMs?: number;
}

/** A company's webhook server. It records every request, and runs independently of any Florin. */
export class Receiver {
  readonly journal: Received[] = [];
  private readonly responses = new Map<string, StubResponse>();
  private server: Server | undefined;
  private port = 0;

  static async start(): Promise<Receiver> {
    const receiver = new Receiver();
    await receiver.open();
    return receiver;
  }

  url(path: string): string {
    return `http://127.0.0.1:${this.port}${path}`;
  }

  /** Sets the response at a path; it is 204 otherwise. */
  respondAt(path: string, response: StubResponse): void {
    this.responses.set(path, response);
  }

  at(path: string): readonly Received[] {
    return this.journal.filter((received) => received.path === path);
  }

  /** Listens, on the same port as before. */
  async open(): Promise<void> {
    this.server = createServer((request, response) => void this.receive(request, response));
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
    this.port = (this.server.address() as AddressInfo).port;
  }

  /** Stops listening; connections are refused from now on. */
  async close(): Promise<void> {
    this.server?.close();
    this.server?.closeAllConnections();
    if (this.server !== undefined) await once(this.server, 'close');
    this.server = undefined;
  }

  private async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readAll(request);
    // The sender was killed before the request was complete.
    if (body === undefined) return;
    const path = request.url ?? '/';
    this.journal.push(new Received(path, request.headers, body));
    const { status, headers, body: content, afterMs }: StubResponse = this.responses.get(path) ?? { status: 204 };
    if (afterMs !== undefined) await delay(afterMs);
    response.writeHead(status, headers).end(content);
  }
}

async function readAll(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer);
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks);
}
