import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { carryOut } from './control-api';
import { type Fault, Faults, type NodeRequest } from './faults';
import type { Filling, SimBlock } from './simulated-block';
import { NodeApi } from './node-api';
import type { BlockReference, ForkPlan, SimState, TronScripting } from './scripting';
import { simulatedContract } from './simulated-address';
import { type ChainOptions, SimulatedChain } from './simulated-chain';
import { type SimTransaction, transfer, type TransferTerms } from './transactions';

export interface TronSimulatorOptions extends ChainOptions {
  /** Any free one where it is missing. */
  readonly port?: number;
}

/** Of older requests only their number is kept. */
const requestsKept = 10_000;
const bodyLimitBytes = 16 * 1024 * 1024;

/** A TRON node on loopback with a chain of its own, which does what a script says. */
export class TronSimulator implements TronScripting {
  /** How many connections were ever made. */
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
      simulator.serve(request, response).catch((error: unknown) => complain(response, error));
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

  /** What `TRON_NODE_URL` has to be. */
  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** What was asked of the node, the newest last. */
  get requests(): readonly NodeRequest[] {
    return this.received;
  }

  /** Every final block from the first one on: what a reader of the chain should have found. */
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

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request);
    const asked = NodeApi.understand(request, body);
    if (!asked) return carryOut(this, request, body, response);
    this.requestCount += 1;
    this.received.push(asked);
    if (this.received.length > 2 * requestsKept) this.received.splice(0, requestsKept);
    this.node.answer(asked, response);
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
    if (length > bodyLimitBytes) throw new Error(`A request has at most ${bodyLimitBytes} bytes: send less at a time.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function complain(response: ServerResponse, error: unknown): void {
  if (response.headersSent || response.destroyed) return;
  const message = error instanceof Error ? error.message : String(error);
  response.writeHead(400, { 'Content-Type': 'application/json' }).end(JSON.stringify({ message }));
}
