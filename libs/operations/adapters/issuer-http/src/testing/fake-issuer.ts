import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifySignature } from '@florin/kernel';
import { answerTo, type FakeOrder } from './fake-answers';

/** One call as it arrived. */
export interface FakeCall {
  readonly method: string;
  readonly path: string;
  readonly idempotencyKey?: string;
  /** Whether the signature was right. */
  readonly signed: boolean;
  readonly order: FakeOrder;
}

export interface FakeIssuerOptions {
  readonly secret: string;
  /** A file that gets a line of JSON for every call before it is answered. What it holds already counts as received. */
  readonly journal?: string;
  readonly port?: number;
  readonly slowMs?: number;
}

const noOrder: FakeOrder = { operationId: '', type: '', amount: '' };

/** A server on loopback that keeps the contract of docs/ISSUER.md, and breaks it where an amount tells it to. */
export class FakeIssuer {
  /** How many connections were ever made. */
  connections = 0;
  private readonly waiting = new Map<() => void, number>();

  private constructor(
    private readonly server: Server,
    private readonly options: FakeIssuerOptions,
    private readonly received: FakeCall[],
  ) {}

  static async start(options: FakeIssuerOptions): Promise<FakeIssuer> {
    const server = createServer();
    const issuer = new FakeIssuer(server, options, options.journal ? readJournal(options.journal) : []);
    server.on('connection', () => issuer.connections++);
    server.on('request', (request, response) => {
      readBody(request).then(
        (body) => {
          const call = issuer.note(request, body);
          if (!call.signed) return void response.writeHead(401).end('{"message":"The signature is wrong."}');
          answerTo({ order: call.order, response, slowMs: options.slowMs ?? 5_000 });
        },
        () => response.destroy(),
      );
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(options.port ?? 0, '127.0.0.1', resolve);
    });
    return issuer;
  }

  /** What `ISSUER_URL` has to be. */
  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/issuer`;
  }

  /** Every call that ever arrived, also repeats and those that followed a redirect. */
  get calls(): readonly FakeCall[] {
    return this.received;
  }

  callsFor(operationId: string): readonly FakeCall[] {
    return this.received.filter(({ order }) => order.operationId === operationId);
  }

  /** Waits until so many calls have arrived in all. */
  async untilReceived(count: number): Promise<void> {
    if (this.received.length >= count) return;
    await new Promise<void>((resolve) => this.waiting.set(resolve, count));
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    await closed;
  }

  private note(request: IncomingMessage, body: string): FakeCall {
    const { 'idempotency-key': idempotencyKey, 'florin-signature': signature } = request.headers;
    const now = Math.floor(Date.now() / 1000);
    const call: FakeCall = {
      method: request.method ?? '',
      path: request.url ?? '',
      ...(typeof idempotencyKey === 'string' && { idempotencyKey }),
      signed: typeof signature === 'string' && verifySignature(signature, body, [this.options.secret], now, 300),
      order: body === '' ? noOrder : (JSON.parse(body) as FakeOrder),
    };
    if (this.options.journal) appendFileSync(this.options.journal, `${JSON.stringify(call)}\n`);
    this.received.push(call);
    for (const [resolve, count] of this.waiting) {
      if (this.received.length >= count && this.waiting.delete(resolve)) resolve();
    }
    return call;
  }
}

/** The calls that stand in a journal. */
export function readJournal(file: string): FakeCall[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as FakeCall);
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
