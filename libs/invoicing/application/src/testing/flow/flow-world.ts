import { CommandHandler, type CommandReply, type SubscriptionLog } from '@florin/event-sourcing';
import {
  type Carried,
  InMemoryCheckpointStore,
  InMemoryEventStore,
  InMemorySnapshotStore,
  inOrder,
  never,
  type Pick,
  TurnBasedStore,
  Turns,
} from '@florin/event-sourcing/testing';
import { type Command, type Decider, manualClock, randomId } from '@florin/kernel';
import type { BlocksRead, TokenTransfer } from '@florin/tron-domain';
import type { InvoicingOptions } from '../../invoicing-options';
import { expiredIn, FlowLog, unmovedIn } from './flow-log';
import { Replica } from './replica';

export const lifetimeMs = 60 * 60 * 1_000;
export const treasury = ['TReasury1', 'TReasury2'] as const;

/** Whichever process makes the append with this number dies right before or after it. */
export interface PlannedCrash {
  readonly append: number;
  readonly when: 'before' | 'after';
}

/** Writes down what it is told: these flows begin where the watcher ends. */
const chain: Decider<null, Command<'RecordBlocks', BlocksRead['data']>, BlocksRead> = {
  category: 'chain',
  initialState: () => null,
  decide: ({ data }) => [{ type: 'BlocksRead', data }],
  evolve: () => null,
};

export const silentLog: SubscriptionLog = { info: () => undefined, warn: () => undefined, error: () => undefined };

/**
 * Several processes on one store, in memory and on a time of its own. What they share (the store, the checkpoints) survives
 * every crash; what they remember does not.
 */
export class FlowWorld {
  readonly clock = manualClock('2030-01-15T12:00:00.000Z');
  readonly turns: Turns;
  readonly transfers: TokenTransfer[] = [];
  readonly options: InvoicingOptions = { addresses: treasury, lifetimeMs, minimumAmount: '10.00', log: silentLog };
  appends = 0;
  plannedCrash: PlannedCrash | undefined;
  readonly store = new InMemoryEventStore();
  private block = 0;
  private readonly carried: Carried[] = [];
  private readonly checkpoints = new InMemoryCheckpointStore();
  private readonly snapshots = new InMemorySnapshotStore();
  private readonly blocks = new CommandHandler({
    decider: chain,
    versions: { BlocksRead: [] },
    store: this.store,
    clock: this.clock,
    answer: () => null,
  });
  private readonly processes: { readonly life: Life; readonly replica: Replica }[] = [];

  constructor(replicas = 1, pick: Pick = inOrder) {
    this.turns = new Turns(pick);
    for (let place = 0; place < replicas; place++) this.start(place);
    openWorlds.add(this);
  }

  /** After every test, also after one that failed. */
  static closeAll(): void {
    for (const world of openWorlds) world.close();
  }

  /** Puts a command on its way. When the process dies, nobody ever answers. */
  send<Reply = CommandReply<unknown>>(key: string, command: Command<string, unknown>, to = 0): Promise<Reply> {
    const id = randomId();
    const headers = { correlationId: id, causationId: id };
    return this.replica(to).bus.request<Reply>({ context: 'invoicing', key, id, command, headers });
  }

  /** Brings an old message once more. Nobody waits for an answer. */
  redeliver(which: number, to: number): void {
    const old = this.carried[which % this.carried.length];
    if (old !== undefined)
      this.replica(to)
        .bus.request(old.message)
        .catch(() => undefined);
  }

  /** Brings all that was ever accepted once more, and tells what the log has grown by. */
  async redeliverAll(): Promise<readonly string[]> {
    const before = await this.store.head();
    for (const [index, { accepted }] of [...this.carried.entries()]) if (accepted) this.redeliver(index, index);
    await this.turns.grantAll();
    const { events } = await this.store.readAll({ after: before });
    return events.map(({ stream, type, data }) => `a redelivered message wrote ${type} to ${stream}: ${data}`);
  }

  /** The chain grows by one block of this very moment, and the watcher has read it. */
  async mine(...paid: readonly { readonly to: string; readonly amount: string }[]): Promise<void> {
    this.block += 1;
    const blockTime = this.clock.now().toISOString();
    const transfers = paid.map(({ to, amount }, logIndex) => {
      const transactionId = this.block.toString(16).padStart(64, '0');
      return { transactionId, logIndex, from: 'TSender', to, amount, blockNumber: this.block, blockTime };
    });
    this.transfers.push(...transfers);
    const ids = { parentId: `b${this.block - 1}`, toBlockId: `b${this.block}` };
    const data = { fromBlock: this.block, toBlock: this.block, toBlockTime: blockTime, ...ids, transfers };
    const context = { id: randomId(), headers: { correlationId: 'chain', causationId: 'chain' } };
    await this.blocks.handle('0', { type: 'RecordBlocks', data }, context);
  }

  /** Lets so much time pass on all clocks, and everybody come to rest. */
  async pass(milliseconds: number): Promise<void> {
    this.clock.advance(milliseconds);
    await this.mine();
    await this.turns.grantAll();
    void this.replica(0).invoiceClock.look();
    await this.turns.grantAll();
  }

  /** Until everything that can expire has. */
  async comeToRest(): Promise<void> {
    await this.turns.grantAll();
    for (let looks = 0; looks < 3; looks++) await this.pass(lifetimeMs);
  }

  async log(): Promise<FlowLog> {
    return new FlowLog((await this.store.readAll({ after: 0n, pageSize: 1_000_000 })).events);
  }

  stopped(): readonly string[] {
    return this.processes.flatMap(({ replica }) => replica.stopped());
  }

  /** All that the process had in memory is lost, and a new one takes its place. */
  crash(number = 0): void {
    const place = number % this.processes.length;
    this.kill(place);
    this.start(place);
  }

  /** Ends everything that runs on real timers. */
  close(): void {
    openWorlds.delete(this);
    this.processes.forEach((_process, place) => this.kill(place));
  }

  private replica(number: number): Replica {
    return this.processes[number % this.processes.length]!.replica;
  }

  private kill(place: number): void {
    const { life, replica } = this.processes[place]!;
    life.alive = false;
    this.turns.drop(life);
    replica.abandon();
  }

  private start(place: number): void {
    const life: Life = { alive: true };
    const turn = (): Promise<void> => (life.alive ? this.turns.wait(life) : never());
    const dies = (when: PlannedCrash['when']): boolean => {
      if (when === 'before') this.appends += 1;
      if (this.plannedCrash?.append !== this.appends || this.plannedCrash.when !== when) return false;
      this.plannedCrash = undefined;
      this.crash(place);
      return true;
    };
    const replica = new Replica({
      store: new TurnBasedStore(this.store, { turn, dies }),
      checkpoints: this.checkpoints.another(),
      snapshots: this.snapshots,
      clock: this.clock,
      due: {
        expiredBefore: async (now) => expiredIn(await this.log(), now),
        notMovedSince: async (before) => unmovedIn(await this.log(), before),
      },
      options: this.options,
      turn,
      carried: this.carried,
    });
    this.processes[place] = { life, replica };
  }
}

const openWorlds = new Set<FlowWorld>();

/** A dead process gets no more turns. */
interface Life {
  alive: boolean;
}
