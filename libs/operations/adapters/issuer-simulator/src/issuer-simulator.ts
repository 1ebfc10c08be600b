import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifySignature } from '@florin/kernel';
import { type CallbackResult, Callbacks, type Held } from './callbacks';
import { CardNetwork } from './card-network';
import { handleControlRequest } from './control-api';
import {
  type IssuerBehavior,
  type IssuerOrder,
  planByAmount,
  type PlannedBehavior,
  referenceOf,
  respond,
} from './issuer-behaviors';
import { IssuerRules } from './issuer-rules';
import { RevealPages } from './reveal-pages';
import type { IssuerCall, IssuerScripting, IssuerSimulatorState, LateOutcome } from './scripting';

export interface IssuerSimulatorOptions {
  readonly secret: string;
  /** A file to which every call is appended as JSON before the response. Calls that it contains count as received. */
  readonly journal?: string;
  readonly port?: number;
  readonly slowMs?: number;
  /** Chooses the behavior for an order; by default the cents of its amount do. Rules of the script come first. */
  readonly plan?: (order: IssuerOrder) => PlannedBehavior;
  /** The address of Florin, for callbacks. */
  readonly florinUrl?: string;
}

const noOrder: IssuerOrder = { operationId: '', type: '', amount: '' };

/** A server on loopback that implements the contract of docs/ISSUER.md, and breaks it on demand. */
export class IssuerSimulator implements IssuerScripting {
  /** How many connections were accepted in total. */
  connections = 0;
  readonly rules = new IssuerRules();
  readonly callbacks: Callbacks;
  readonly network: CardNetwork;
  private readonly pages = new RevealPages();
  private readonly waiting = new Map<() => void, number>();

  private constructor(
    private readonly server: Server,
    private readonly options: IssuerSimulatorOptions,
    private readonly received: IssuerCall[],
  ) {
    this.callbacks = new Callbacks(options.secret, options.florinUrl);
    this.network = new CardNetwork(this.callbacks);
    for (const { order, behavior } of received) this.remember(order, behavior);
  }

  static async start(options: IssuerSimulatorOptions): Promise<IssuerSimulator> {
    const server = createServer();
    const issuer = new IssuerSimulator(server, options, options.journal ? readIssuerCalls(options.journal) : []);
    server.on('connection', () => issuer.connections++);
    server.on('request', (request, response) => {
      readBody(request).then(
        (body) => issuer.serve(request, body, response),
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
    return `${this.baseUrl}/issuer`;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
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

  /** Reports the outcome of an operation by callback, as an issuer does that could not respond before. */
  confirm({ operationId, outcome }: LateOutcome): Promise<CallbackResult | Held> {
    const order = this.callsFor(operationId)[0]?.order;
    if (order === undefined) throw new Error(`There was no call for operation ${operationId}.`);
    const { companyId, amount, type, cardId } = order;
    const card = type === 'issue' ? { reference: referenceOf(cardId), last4: '4242' } : undefined;
    const details =
      outcome === 'accepted'
        ? { receipt: `receipt-${operationId}`, card }
        : { code: 'not_today', message: 'The simulated issuer declined this order.' };
    if (outcome === 'accepted') this.remember(order, 'accepted');
    return this.callbacks.send({ type: 'operation', operationId, companyId, amount, outcome, ...details });
  }

  state(): IssuerSimulatorState {
    const { received: calls, network, callbacks, rules } = this;
    return { calls, cards: network.list, callbacks: callbacks.sent, rules: rules.waiting };
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    await closed;
  }

  private serve(request: IncomingMessage, body: string, response: ServerResponse): void {
    const path = request.url ?? '';
    if (path.startsWith('/sim/')) return void handleControlRequest(this, path, body, response);
    if (path.startsWith('/reveals/')) return this.pages.show(path, response);
    const order = body === '' ? noOrder : (JSON.parse(body) as IssuerOrder);
    const plan = this.rules.planFor(order) ?? (this.options.plan ?? planByAmount)(order);
    const call = this.record(request, body, order, plan);
    if (!call.signed) return void response.writeHead(401).end('{"message":"The signature is wrong."}');
    if (order.type === 'reveal') {
      const page = this.pages.create(String(order.cardId), this.baseUrl);
      return void response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(page));
    }
    this.remember(order, plan.behavior);
    const exchange = { order, response, slowMs: this.options.slowMs ?? 5_000 };
    if (plan.delayMs === 0) return respond(plan.behavior, exchange);
    const timer = setTimeout(() => respond(plan.behavior, exchange), plan.delayMs);
    response.on('close', () => clearTimeout(timer));
  }

  /** The cards that exist at the issuer, also if its response was lost. */
  private remember(order: IssuerOrder, behavior: IssuerBehavior): void {
    const isDeclined = behavior === 'declined' || behavior === 'declinedWith200';
    if (order.type === 'issue' && !isDeclined) this.network.add(order, referenceOf(order.cardId));
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
