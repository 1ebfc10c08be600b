import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Fault, Faults, NodeMethod, NodeRequest } from './faults';
import { FilledBlockWriter } from './filled-blocks';
import { blockJson, infosJson } from './node-json';
import type { SimBlock } from './simulated-block';
import type { SimulatedChain } from './simulated-chain';

const methods: readonly NodeMethod[] = ['getnowblock', 'getblockbynum', 'gettransactioninfobyblocknum'];
const pathPattern = /^\/(wallet|walletsolidity)\/(\w+)$/;

/** The HTTP API of a node: final blocks under `/walletsolidity`, the newest ones under `/wallet`. */
export class NodeApi {
  private readonly texts = new WeakMap<SimBlock, { block?: string; infos?: string }>();
  private readonly filled = new FilledBlockWriter();

  constructor(
    private readonly chain: SimulatedChain,
    private readonly faults: Faults,
  ) {}

  /** Undefined when the node has no such method. */
  static parse(request: IncomingMessage, body: string): NodeRequest | undefined {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://simulator');
    const [, view, name] = pathPattern.exec(pathname) ?? [];
    const method = methods.find((known) => known === name);
    if (!method) return undefined;
    const parameters = (body === '' ? {} : JSON.parse(body)) as { readonly num?: unknown };
    const block = Number(parameters.num ?? searchParams.get('num') ?? NaN);
    return { method, solid: view === 'walletsolidity', ...(Number.isSafeInteger(block) && { block }) };
  }

  serve(request: NodeRequest, response: ServerResponse): void {
    const fault = this.faults.take(request, Date.now());
    if (!fault) return send(response, this.textFor(request));
    this.misbehave(fault, request, response);
  }

  private misbehave(fault: Fault, request: NodeRequest, response: ServerResponse): void {
    switch (fault.kind) {
      case 'hang':
        return;
      case 'drop':
        return void response.socket?.resetAndDestroy();
      case 'status':
        return refuse(response, fault.status, fault.retryAfterSeconds);
      case 'delay': {
        const timer = setTimeout(() => send(response, this.textFor(request)), fault.ms);
        return void response.on('close', () => clearTimeout(timer));
      }
      case 'malformed': {
        const text = this.textFor(request);
        return send(response, text.slice(0, Math.ceil(text.length / 2)));
      }
      case 'oversized':
        return send(response, this.textFor(request) + ' '.repeat(fault.bytes));
      case 'wrongBlock':
        return send(response, this.textFor({ ...request, block: (request.block ?? 0) - 1 }));
      case 'missing':
        return send(response, request.method === 'gettransactioninfobyblocknum' ? '[]' : '{}');
      case 'incomplete':
        return send(response, JSON.stringify((JSON.parse(this.textFor(request)) as unknown[]).slice(0, -1)));
    }
  }

  textFor({ method, solid, block }: NodeRequest): string {
    const head = solid ? this.chain.solidHead(this.faults.lagBehind) : this.chain.head;
    const found = method === 'getnowblock' ? head : this.chain.block(block ?? -1);
    const known = found && found.number <= head.number ? found : undefined;
    if (method === 'gettransactioninfobyblocknum') return known ? this.infosOf(known) : '[]';
    return known ? this.blockOf(known) : '{}';
  }

  private blockOf(block: SimBlock): string {
    if (block.filling) return this.filled.block(block, block.filling);
    const texts = this.textsOf(block);
    return (texts.block ??= blockJson(block));
  }

  private infosOf(block: SimBlock): string {
    if (block.filling) return this.filled.infos(block, block.filling);
    const texts = this.textsOf(block);
    return (texts.infos ??= infosJson(block));
  }

  private textsOf(block: SimBlock): { block?: string; infos?: string } {
    const texts = this.texts.get(block) ?? {};
    this.texts.set(block, texts);
    return texts;
  }
}

function send(response: ServerResponse, text: string): void {
  const body = Buffer.from(text, 'latin1');
  response.writeHead(200, { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': body.length });
  response.end(body);
}

function refuse(response: ServerResponse, status: number, retryAfterSeconds?: number): void {
  const headers = { 'Content-Type': 'application/json' };
  const retry = retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) };
  response.writeHead(status, { ...headers, ...retry });
  response.end(JSON.stringify({ Success: false, Error: `The simulator responds with ${status}, as scripted.` }));
}
