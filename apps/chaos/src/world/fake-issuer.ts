import { setMaxListeners } from 'node:events';
import { appendFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { verifySignature } from '@florin/kernel';
import type { Random } from '../random';

export type IssuerBehaviour = keyof typeof weights;

/** One call as it arrived, and what was made of it. */
export interface IssuerCall {
  readonly operationId: string;
  readonly type: string;
  readonly amount: string;
  readonly signed: boolean;
  readonly receivedAt: string;
  readonly behaviour: IssuerBehaviour;
  /** When it had answered, as far as it ever did. */
  answeredAt?: string;
}

export interface FakeIssuerOptions {
  readonly secret: string;
  readonly random: Random;
  /** Gets a line of JSON for every call, before it is answered. */
  readonly journal: string;
  /** After so long the product does not wait any more. */
  readonly patienceMs: number;
}

/** How often it behaves so. What it does with one operation follows from the seed and the operation's id alone. */
const weights = {
  accepts: 50,
  acceptsSlowly: 24,
  declines: 10,
  acceptsTooLate: 4,
  neverAnswers: 3,
  resets: 5,
  fails: 4,
} as const;

interface Order {
  readonly operationId: string;
  readonly type: string;
  readonly amount: string;
  readonly cardId?: string;
}

/** A live issuer on loopback that keeps the contract of docs/ISSUER.md as well as real ones do. */
export class FakeIssuer {
  readonly calls: IssuerCall[] = [];
  private readonly closing = new AbortController();

  private constructor(
    private readonly server: Server,
    private readonly options: FakeIssuerOptions,
  ) {}

  static async start(options: FakeIssuerOptions): Promise<FakeIssuer> {
    const server = createServer();
    const issuer = new FakeIssuer(server, options);
    // Every answer that is being waited for listens.
    setMaxListeners(0, issuer.closing.signal);
    server.on('request', (request, response) => {
      issuer.serve(request, response).catch(() => response.destroy());
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(0, '127.0.0.1', resolve);
    });
    return issuer;
  }

  /** What `ISSUER_URL` has to be. */
  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.closing.abort();
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    await closed;
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request);
    const order = JSON.parse(body) as Order;
    const random = this.options.random.fork(order.operationId);
    const call = this.note(request, body, order, random.weighted(weights));
    if (!call.signed) return void response.writeHead(401).end();
    await this.pause(this.slownessMs(call.behaviour, random));
    if (call.behaviour === 'neverAnswers') return;
    if (call.behaviour === 'resets') return void response.socket?.resetAndDestroy();
    if (call.behaviour === 'fails') response.writeHead(500).end('{"message":"Try again"}');
    else answer(response, call.behaviour === 'declines' ? declined(order) : accepted(order));
    call.answeredAt = new Date().toISOString();
  }

  private note(request: IncomingMessage, body: string, order: Order, behaviour: IssuerBehaviour): IssuerCall {
    const signature = request.headers['florin-signature'];
    const now = Math.floor(Date.now() / 1_000);
    const { operationId, type, amount } = order;
    const call: IssuerCall = {
      ...{ operationId, type, amount, behaviour, receivedAt: new Date().toISOString() },
      signed: typeof signature === 'string' && verifySignature(signature, body, [this.options.secret], now, 300),
    };
    appendFileSync(this.options.journal, `${JSON.stringify(call)}\n`);
    this.calls.push(call);
    return call;
  }

  private slownessMs(behaviour: IssuerBehaviour, random: Random): number {
    const { patienceMs } = this.options;
    if (behaviour === 'acceptsTooLate') return patienceMs + random.between(100, 1_000);
    return behaviour === 'acceptsSlowly' ? random.between(100, patienceMs / 2) : random.between(0, 60);
  }

  private async pause(milliseconds: number): Promise<void> {
    await delay(milliseconds, undefined, { signal: this.closing.signal });
  }
}

function accepted({ operationId, type, cardId }: Order): object {
  const card = type === 'issue' ? { reference: `fake-${cardId}`, last4: '4242' } : undefined;
  return { operationId, outcome: 'accepted', receipt: `receipt-${operationId}`, card };
}

function declined({ operationId }: Order): object {
  return { operationId, outcome: 'declined', code: 'not_today', message: 'The fake issuer declines this one.' };
}

function answer(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
