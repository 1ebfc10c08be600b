import type { CommandReply, RecordedEvent } from '@florin/event-sourcing';
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
import { type Command, randomId } from '@florin/kernel';
import type { OperationsOptions } from '../../operations-options';
import { FlowLog, unfinishedIn } from './flow-log';
import { InMemoryVault } from './in-memory-vault';
import { Replica, silentLog } from './replica';
import { IssuerJournal, scriptedIssuer } from './scripted-issuer';
import { VirtualTime } from './virtual-time';

export const issuerTimeoutMs = 10_000;

export interface WorldOptions {
  readonly pick?: Pick;
  readonly replicas?: number;
  readonly overrides?: Partial<OperationsOptions>;
  /** What stands in the log before the first process starts. */
  readonly history?: readonly RecordedEvent[];
}

/** Whichever process makes the append with this number dies right before or after it. */
export interface PlannedCrash {
  readonly append: number;
  readonly when: 'before' | 'after';
}

/**
 * A whole company of processes on one store, in memory and on a time of its own. What they share (the store, the
 * checkpoints, the issuer's journal) survives every crash; what they remember does not.
 */
export class FlowWorld {
  readonly time = new VirtualTime('2030-01-15T12:00:00.000Z');
  readonly turns: Turns;
  readonly store = new InMemoryEventStore();
  readonly journal = new IssuerJournal();
  readonly vault = new InMemoryVault();
  readonly options: OperationsOptions;
  appends = 0;
  plannedCrash: PlannedCrash | undefined;
  /** So many appends are lost on their way to the store. */
  failingAppends = 0;
  private readonly carried: Carried[] = [];
  private readonly checkpoints = new InMemoryCheckpointStore();
  private readonly snapshots = new InMemorySnapshotStore();
  private readonly processes: { readonly life: Life; readonly replica: Replica }[] = [];

  private constructor({ pick = inOrder, overrides = {} }: WorldOptions) {
    this.turns = new Turns(pick);
    this.options = {
      issuerTimeoutMs,
      issuerConcurrency: 8,
      minimums: { issue: '10.00', topup: '10.00' },
      log: silentLog,
      abortAfter: (milliseconds) => this.time.abortAfter(milliseconds),
      ...overrides,
    };
  }

  static async open(options: WorldOptions = {}): Promise<FlowWorld> {
    const world = new FlowWorld(options);
    openWorlds.add(world);
    for (const event of options.history ?? []) await world.store.append(event.stream, event.revision - 1, [event]);
    for (let number = 0; number < (options.replicas ?? 1); number++) world.start(number);
    return world;
  }

  /** After every test, also after one that failed. */
  static closeAll(): void {
    for (const world of openWorlds) world.close();
  }

  replica(number = 0): Replica {
    return this.processes[number % this.processes.length]!.replica;
  }

  /** All that the process had in memory is lost, and a new one takes its place. */
  crash(number = 0): void {
    const place = number % this.processes.length;
    this.kill(place);
    this.start(place);
  }

  /** The process is so slow that everybody else comes to rest before it goes on. */
  pause(number: number): void {
    this.turns.pause(this.processes[number]!.life);
  }

  resume(number: number): void {
    this.turns.resume(this.processes[number]!.life);
  }

  /** Sends a command to one of the processes, and keeps going until everybody has come to rest. */
  async request<Reply = CommandReply<unknown>>(context: string, key: string, command: AnyCommand): Promise<Reply> {
    const reply = this.send<Reply>(context, key, command);
    await this.turns.grantAll();
    return reply;
  }

  /** Only puts the command on its way. When the process dies, nobody ever answers. */
  send<Reply = CommandReply<unknown>>(context: string, key: string, command: AnyCommand, to = 0): Promise<Reply> {
    const id = randomId();
    const headers = { correlationId: id, causationId: id };
    return this.replica(to).bus.request<Reply>({ context, key, id, command, headers });
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

  /** Lets so much time pass, has the watchdog look, and everybody come to rest. */
  async pass(milliseconds: number): Promise<void> {
    this.time.advance(milliseconds);
    await this.turns.grantAll();
    void this.replica().watchdog.look();
    await this.turns.grantAll();
  }

  /** The process has met nothing that it cannot deal with. */
  statuses(): readonly string[] {
    return this.processes.map(({ replica }) => JSON.stringify(replica.status()));
  }

  /** Until no deadline can be pending any more. */
  async comeToRest(): Promise<void> {
    await this.turns.grantAll();
    for (let looks = 0; looks < 3; looks++) await this.pass(issuerTimeoutMs + 20_000);
  }

  async log(): Promise<FlowLog> {
    return new FlowLog(await this.recorded());
  }

  async recorded(): Promise<readonly RecordedEvent[]> {
    return (await this.store.readAll({ after: 0n, pageSize: 1_000_000 })).events;
  }

  /** Ends everything that runs on real timers. */
  close(): void {
    openWorlds.delete(this);
    this.processes.forEach((_process, place) => this.kill(place));
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
    const fails = (): boolean => this.failingAppends > 0 && this.failingAppends-- > 0;
    const replica = new Replica({
      store: new TurnBasedStore(this.store, { turn, dies, fails }),
      checkpoints: this.checkpoints.another(),
      snapshots: this.snapshots,
      clock: this.time,
      issuer: scriptedIssuer(this.journal, turn),
      vault: this.vault,
      unfinished: { notMovedSince: async (before) => unfinishedIn(await this.recorded(), before) },
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

type AnyCommand = Command<string, unknown>;
