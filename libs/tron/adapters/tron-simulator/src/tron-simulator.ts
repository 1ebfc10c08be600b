import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { handleControlRequest } from './control-api';
import { type Fault, Faults, type NodeRequest } from './faults';
import type { Filling, SimBlock } from './simulated-block';
import { NodeApi } from './node-api';
import type { BlockReference, ForkPlan, SimState, TronScripting } from './scripting';
import { simulatedContract } from './simulated-address';
import { type ChainOptions, SimulatedChain } from './simulated-chain';
import { type SimTransaction, transfer, type TransferTerms } from './transactions';

export interface TronSimulatorOptions extends ChainOptions {
  /** A free port by default. */
  readonly port?: number;
}

/** Older requests are only counted. */
const requestsKept = 10_000;
const bodyLimitBytes = 16 * 1024 * 1024;

/** A TRON node on loopback with its own chain, controlled by a script. */
export class TronSimulator implements TronScripting {
  /** All connections since the start. */
  connections = 0;
  requestCount = 0;
  private readonly received: NodeRequest[] = [];
  private readonly faults = new Faults();
  private readonly node: NodeApi;

  private constructor(
    private readonly server: Server,
    private readonly chain: SimulatedChain,
  ) {
    this.node = new NodeApi(chain, this.faults);
  }

  static async start(options: TronSimulatorOptions = {}): Promise<TronSimulator> {
    const server = createServer();
    const simulator = new TronSimulator(server, new SimulatedChain(options));
    server.on('connection', () => (simulator.connections += 1));
    server.on('request', (request, response) => {
      simulator.serve(request, response).catch((error: unknown) => sendError(response, error));
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(options.port ?? 0, '127.0.0.1', resolve);
    });
    return simulator;
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    await closed;
  }

  /** The value for `TRON_NODE_URL`. */
  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** The requests to the node, the newest last. */
  get requests(): readonly NodeRequest[] {
    return this.received;
  }

  /** All final blocks: what a reader of the chain must have found. */
  get finalBlocks(): readonly SimBlock[] {
    return this.chain.finalBlocks;
  }

  mine(...transactions: readonly SimTransaction[]): SimBlock {
    return this.chain.mine(transactions);
  }

  mineEmpty(count: number): void {
    for (let mined = 0; mined < count; mined++) this.chain.mine([]);
  }

  pay(terms: TransferTerms): SimBlock {
    return this.mine(transfer(terms));
  }

  fill(blocks: number, filling: Filling): void {
    for (let mined = 0; mined < blocks; mined++) this.chain.mine([], filling);
  }

  solidify(count?: number): void {
    this.chain.solidify(count);
  }

  fork({ depth, blocks, evenFinal }: ForkPlan): void {
    this.chain.fork(depth, blocks ?? Array.from({ length: depth }, () => []), evenFinal);
  }

  setTime(time: string): void {
    this.chain.setTime(time);
  }

  fault(fault: Fault): void {
    this.faults.add(fault);
  }

  lagBehind(blocks: number): void {
    this.faults.lagBehind = blocks;
  }

  throttle(requestsPerSecond: number): void {
    this.faults.throttle(requestsPerSecond);
  }

  heal(): void {
    this.faults.heal();
  }

  state(): SimState {
    return {
      contract: simulatedContract,
      firstBlock: this.chain.firstBlock,
      head: reference(this.chain.head),
      solidHead: reference(this.chain.solidHead()),
      requestCount: this.requestCount,
      requests: this.received.slice(-100),
      connections: this.connections,
    };
  }

  /** The body of a response, without HTTP and without faults: tests read thousands of blocks this way. */
  respond(request: NodeRequest): string {
    return this.node.textFor(request);
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request);
    const nodeRequest = NodeApi.parse(request, body);
    if (!nodeRequest) return handleControlRequest(this, request, body, response);
    this.requestCount += 1;
    this.received.push(nodeRequest);
    if (this.received.length > 2 * requestsKept) this.received.splice(0, requestsKept);
    this.node.serve(nodeRequest, response);
  }
}

function reference({ number, id, time }: SimBlock): BlockReference {
  return { number, id, time };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > bodyLimitBytes)
      throw new Error(`A request is limited to ${bodyLimitBytes} bytes. Send less at a time.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function sendError(response: ServerResponse, error: unknown): void {
  if (response.headersSent || response.destroyed) return;
  const message = error instanceof Error ? error.message : String(error);
  response.writeHead(400, { 'Content-Type': 'application/json' }).end(JSON.stringify({ message }));
}
