import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifySignature } from '@florin/kernel';
import { type IssuerBehavior, type IssuerOrder, planByAmount, type PlannedBehavior, respond } from './issuer-behaviors';

/** One received call. */
export interface IssuerCall {
  readonly method: string;
  readonly path: string;
  readonly idempotencyKey?: string;
  /** Whether the signature was valid. */
  readonly signed: boolean;
  readonly order: IssuerOrder;
  readonly receivedAt: string;
  readonly behavior: IssuerBehavior;
  /** How long the issuer waits before it does so. */
  readonly delayMs: number;
}

export interface FakeIssuerOptions {
  readonly secret: string;
  /** A file to which every call is appended as JSON before the response. Calls that it contains count as received. */
  readonly journal?: string;
  readonly port?: number;
  readonly slowMs?: number;
  /** Chooses the behavior for an order; by default the cents of its amount do. */
  readonly plan?: (order: IssuerOrder) => PlannedBehavior;
}

const noOrder: IssuerOrder = { operationId: '', type: '', amount: '' };

/** A server on loopback that implements the contract of docs/ISSUER.md, and breaks it on demand. */
export class FakeIssuer {
  /** How many connections were accepted in total. */
  connections = 0;
  private readonly waiting = new Map<() => void, number>();

  private constructor(
    private readonly server: Server,
    private readonly options: FakeIssuerOptions,
    private readonly received: IssuerCall[],
  ) {}

  static async start(options: FakeIssuerOptions): Promise<FakeIssuer> {
    const server = createServer();
    const issuer = new FakeIssuer(server, options, options.journal ? readIssuerCalls(options.journal) : []);
    server.on('connection', () => issuer.connections++);
    server.on('request', (request, response) => {
      readBody(request).then(
        (body) => {
          const order = body === '' ? noOrder : (JSON.parse(body) as IssuerOrder);
          const plan = (options.plan ?? planByAmount)(order);
          const call = issuer.record(request, body, order, plan);
          if (!call.signed) return void response.writeHead(401).end('{"message":"The signature is wrong."}');
          const exchange = { order, response, slowMs: options.slowMs ?? 5_000 };
          if (plan.delayMs === 0) return respond(plan.behavior, exchange);
          const timer = setTimeout(() => respond(plan.behavior, exchange), plan.delayMs);
          response.on('close', () => clearTimeout(timer));
        },
        () => response.destroy(),
      );
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(options.port ?? 0, '127.0.0.1', resolve);
    });
    return issuer;
  }

  /** The value for `ISSUER_URL`. */
  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/issuer`;
  }

  /** Every received call, including repeats and those that followed a redirect. */
  get calls(): readonly IssuerCall[] {
    return this.received;
  }

  callsFor(operationId: string): readonly IssuerCall[] {
    return this.received.filter(({ order }) => order.operationId === operationId);
  }

  /** Resolves when this many calls have been received in total. */
  async untilReceived(count: number): Promise<void> {
    if (this.received.length >= count) return;
    await new Promise<void>((resolve) => this.waiting.set(resolve, count));
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    await closed;
  }

  private record(request: IncomingMessage, body: string, order: IssuerOrder, plan: PlannedBehavior): IssuerCall {
    const { 'idempotency-key': idempotencyKey, 'florin-signature': signature } = request.headers;
    const now = Math.floor(Date.now() / 1000);
    const call: IssuerCall = {
      method: request.method ?? '',
      path: request.url ?? '',
      ...(typeof idempotencyKey === 'string' && { idempotencyKey }),
      signed: typeof signature === 'string' && verifySignature(signature, body, [this.options.secret], now, 300),
      ...{ order, ...plan, receivedAt: new Date().toISOString() },
    };
    if (this.options.journal) appendFileSync(this.options.journal, `${JSON.stringify(call)}\n`);
    this.received.push(call);
    for (const [resolve, count] of this.waiting) {
      if (this.received.length >= count && this.waiting.delete(resolve)) resolve();
    }
    return call;
  }
}

/** The calls in a journal. */
export function readIssuerCalls(file: string): IssuerCall[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as IssuerCall);
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
