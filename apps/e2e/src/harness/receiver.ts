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

/** A request as it came over the wire. */
export class Received {
  readonly arrivedAt = new Date();

  constructor(
    readonly path: string,
    readonly headers: IncomingHttpHeaders,
    readonly body: Buffer,
  ) {}

  /** What the header says; the body has to say the same. */
  get eventId(): string {
    return String(this.headers['webhook-id']);
  }

  get signature(): string {
    return String(this.headers['service-signature']);
  }

  /** The event, for a receiver that trusts nobody; fails where it was not signed with the secret just before it came. */
  verified(secret: string | readonly string[]): WebhookEvent {
    return verifyWebhook(this.body, this.signature, secret, { now: this.arrivedAt });
  }
}

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** How long it takes to answer. */
  readonly afterMs?: number;
}

/** The server of a company that is told of events. It keeps a journal of all that arrives, and outlives any product. */
export class Receiver {
  readonly journal: Received[] = [];
  private readonly answers = new Map<string, Answer>();
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

  /** What is answered at a path from now on, instead of 204. */
  answerAt(path: string, answer: Answer): void {
    this.answers.set(path, answer);
  }

  at(path: string): readonly Received[] {
    return this.journal.filter((received) => received.path === path);
  }

  /** Again, and where it was before. */
  async open(): Promise<void> {
    this.server = createServer((request, response) => void this.receive(request, response));
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
    this.port = (this.server.address() as AddressInfo).port;
  }

  /** From now on nobody is there. */
  async close(): Promise<void> {
    this.server?.close();
    this.server?.closeAllConnections();
    if (this.server !== undefined) await once(this.server, 'close');
    this.server = undefined;
  }

  private async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readAll(request);
    // Whoever was killed while sending has sent nothing.
    if (body === undefined) return;
    const path = request.url ?? '/';
    this.journal.push(new Received(path, request.headers, body));
    const answer = this.answers.get(path) ?? { status: 204 };
    if (answer.afterMs !== undefined) await delay(answer.afterMs);
    response.writeHead(answer.status, answer.headers).end(answer.body);
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
