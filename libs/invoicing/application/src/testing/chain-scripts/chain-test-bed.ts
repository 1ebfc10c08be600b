import { beforeFirst, type CommandReply, type Position } from '@florin/event-sourcing';
import {
  InMemoryCheckpointStore,
  InMemoryEventStore,
  InMemorySnapshotStore,
  simulatedOperator,
} from '@florin/event-sourcing/testing';
import { assert, type Command, deterministicId, formatUsdt, type MoneyText, parseUsdt, randomId } from '@florin/kernel';
import { decidedByOne, manualClock } from '@florin/kernel/testing';
import type { InvoiceAnswer } from '@florin/invoicing-domain';
import { accountIdOf } from '@florin/ledger-domain';
import type { ConnectToNode } from '@florin/tron-node';
import { type NodeMethod, simulatedAddress, TronSimulator } from '@florin/tron-simulator';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { ChainLog, type UnmatchedDeposit } from './chain-log';
import { type CrashPoint, CrashingStore } from './crashing-store';
import { processes, WatcherReplica } from './watcher-replica';

export const lifetimeMs = 3_600_000;
export const startTime = '2030-01-15T12:00:00.000Z';
const invoiceAmount = '100.00';
const invoiceFee = '1.50';

export interface TestBedOptions {
  readonly addresses?: number;
  readonly replicas?: number;
  readonly solidifyAfter?: number;
  readonly firstBlock?: number;
  /** Reads the node without HTTP, which takes most of the time for thousands of blocks. */
  readonly withoutHttp?: boolean;
  /** Long by default, because a slow machine must not cause timeouts. Scripts in which the node hangs set a short one. */
  readonly nodeTimeoutMs?: number;
}

/** An invoice that can be paid. */
export interface Payable {
  readonly name: string;
  readonly id: string;
  readonly accountId: string;
  readonly to: string;
  readonly amount: string;
  /** The deposit amount and the fee. */
  readonly deposit: MoneyText;
  readonly fee: MoneyText;
  readonly createdAt: string;
  readonly expiresAt: string;
}

/**
 * A simulated chain and the replicas that read it, on one store and on block times. The store, the checkpoints and the chain
 * survive crashes; the memory of a replica does not.
 */
export class ChainTestBed {
  readonly clock = manualClock(startTime);
  readonly store = new InMemoryEventStore();
  readonly invoices = new Map<string, Payable>();
  /** The decisions of operators by invoice name. */
  readonly decisions = new Map<string, 'completed' | 'failed'>();
  readonly addresses: readonly string[];
  private readonly checkpoints = new InMemoryCheckpointStore();
  private readonly snapshots = new InMemorySnapshotStore();
  private readonly replicas: { readonly replica: WatcherReplica; readonly store: CrashingStore }[] = [];
  /** Resolves when a crashed replica is replaced. */
  private replaced: Promise<void> = Promise.resolve();
  private seen = beforeFirst;
  private lastBlock = 0;

  private constructor(
    readonly chain: TronSimulator,
    private readonly options: TestBedOptions,
  ) {
    this.addresses = Array.from({ length: options.addresses ?? 1 }, (_, index) => simulatedAddress(`pool ${index}`));
  }

  static async open(options: TestBedOptions = {}): Promise<ChainTestBed> {
    const { solidifyAfter, firstBlock } = options;
    const testBed = new ChainTestBed(
      await TronSimulator.start({ blockTime: startTime, solidifyAfter, firstBlock }),
      options,
    );
    for (let place = 0; place < (options.replicas ?? 1); place++) await testBed.startReplica(place);
    return testBed;
  }

  async close(): Promise<void> {
    await this.replaced;
    await Promise.all(this.replicas.map(({ replica }) => replica.kill()));
    await this.chain.stop();
  }

  /** Requests a live invoice of 100 USD. */
  async invoice(name: string, company = 'acme'): Promise<Payable> {
    const [invoiceId, companyId] = [deterministicId('invoice', name), deterministicId('company', company)];
    const accountId = accountIdOf(companyId, 'live');
    const data = { invoiceId, companyId, environment: 'live', accountId, amount: invoiceAmount, fingerprint: name };
    const reply = await this.request<InvoiceAnswer>(accountId, { type: 'RequestInvoice', data });
    assert(reply.ok, () => `invoice ${name} was refused: ${JSON.stringify(reply)}`);
    const { address, payAmount, createdAt, expiresAt } = reply.answer;
    assert(address !== null && payAmount !== null && expiresAt !== null, `invoice ${name} can be paid`);
    const [deposit, fee] = [invoiceAmount, invoiceFee];
    const payment = { to: address, amount: payAmount, deposit, fee };
    const payable = { name, id: invoiceId, accountId, ...payment, createdAt, expiresAt };
    this.invoices.set(name, payable);
    return payable;
  }

  async request<Answer>(key: string, command: Command<string, unknown>): Promise<CommandReply<Answer>> {
    await this.replaced;
    const id = deterministicId('request', JSON.stringify(command));
    const headers = { correlationId: id, causationId: id, actor: simulatedOperator };
    return this.replica().bus.request({ context: 'invoicing', key, id, command, headers });
  }

  /** Resolves an invoice in review as an operator. */
  async resolve(name: string, outcome: 'completed' | 'failed'): Promise<CommandReply<unknown>> {
    const { id: invoiceId, accountId } = this.named(name);
    const data = { invoiceId, accountId, outcome, note: 'Checked', requestId: randomId(), ...decidedByOne };
    return this.decided(name, outcome, await this.request(accountId, { type: 'ResolveInvoice', data }));
  }

  /** Attributes a deposit to an invoice as an operator. */
  async attribute(name: string, { address, deposit: { depositId } }: UnmatchedDeposit): Promise<CommandReply<unknown>> {
    const { id: invoiceId, accountId } = this.named(name);
    const decision = { outcome: 'completed', invoiceId, accountId, note: 'Asked the payer', requestId: randomId() };
    const data = { address, depositId, ...decision, ...decidedByOne, now: startTime };
    return this.decided(name, 'completed', await this.request(address, { type: 'ResolveDeposit', data }));
  }

  /** Sets the system clock and the time of the next block. */
  setTime(time: string, offsetMs = 0): void {
    const moved = new Date(Date.parse(time) + offsetMs).toISOString();
    this.clock.set(moved);
    this.chain.setTime(moved);
  }

  /** Waits until all final blocks are recorded and their consequences are handled. */
  async settle(): Promise<void> {
    for (;;) {
      await this.replaced;
      const head = await this.store.head();
      const hasRead = (await this.readTo()) >= this.chain.state().solidHead.number;
      if (hasRead && this.hasFollowed(head)) return;
      await delay(2);
    }
  }

  async log(): Promise<ChainLog> {
    return new ChainLog((await this.store.readAll({ after: 0n, pageSize: 1_000_000 })).events);
  }

  replica(place = 0): WatcherReplica {
    return this.placed(place).replica;
  }

  /** Kills a replica and starts another in its place. */
  crash(number = 0): Promise<void> {
    const place = number % this.replicas.length;
    const crashing = this.replica(place);
    return (this.replaced = this.replaced.then(async () => {
      await crashing.kill();
      if (this.replica(place) === crashing) await this.startReplica(place);
    }));
  }

  /** Lets a replica crash at this point; another one replaces it. */
  crashAt(crashPoint: CrashPoint, place = 0): void {
    this.placed(place).store.crashPoint = crashPoint;
  }

  private placed(place: number): { readonly replica: WatcherReplica; readonly store: CrashingStore } {
    const placed = this.replicas[place % this.replicas.length];
    assert(placed !== undefined, 'a test bed has a replica');
    return placed;
  }

  private named(name: string): Payable {
    const invoice = this.invoices.get(name);
    assert(invoice !== undefined, () => `invoice ${name} was requested`);
    return invoice;
  }

  private decided<Reply extends CommandReply<unknown>>(
    name: string,
    outcome: 'completed' | 'failed',
    reply: Reply,
  ): Reply {
    if (reply.ok) this.decisions.set(name, outcome);
    return reply;
  }

  /** Any replica may run a process. */
  private hasFollowed(head: Position): boolean {
    const reached = new Set(this.replicas.flatMap(({ replica }) => (replica.isRunning ? replica.reached(head) : [])));
    return reached.size === processes.length;
  }

  /** The last recorded block. */
  private async readTo(): Promise<number> {
    const { events, readTo } = await this.store.readAll({ after: this.seen, categories: ['chain'], pageSize: 10_000 });
    this.seen = readTo;
    const last = new ChainLog(events).blockRanges().at(-1);
    return (this.lastBlock = last?.toBlock ?? this.lastBlock);
  }

  private async startReplica(place: number): Promise<void> {
    const store = new CrashingStore(this.store, () => void this.crash(place));
    const replica = await WatcherReplica.start({
      store,
      checkpoints: this.checkpoints.another(),
      snapshots: this.snapshots,
      clock: this.clock,
      nodeUrl: this.chain.url,
      ...(this.options.withoutHttp && { connect: connectInProcess(this.chain) }),
      nodeTimeoutMs: this.options.nodeTimeoutMs ?? 10_000,
      addresses: this.addresses,
      startBlock: this.chain.state().firstBlock,
      lifetimeMs,
    });
    this.replicas[place] = { replica, store };
  }
}

function connectInProcess(chain: TronSimulator): ConnectToNode {
  return async () => ({
    request: async (method, payload) => {
      await nextTurn();
      const block = (payload as { readonly num?: number }).num;
      return JSON.parse(chain.respond({ method: method as NodeMethod, solid: true, block }));
    },
    close: async () => undefined,
  });
}

/** Adds millionths to an amount. */
export function plus(amount: string, millionths: bigint): string {
  return formatUsdt(parseUsdt(amount) + millionths);
}
