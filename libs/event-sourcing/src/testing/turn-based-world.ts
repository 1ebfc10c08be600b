import { noBackoff } from '../backoff';
import { type CommandBus, NoReply } from '../ports/command-bus.port';
import type { EventStore, RecordedEvent } from '../ports/event-store.port';
import type { SnapshotStore } from '../ports/snapshot-store.port';
import { Progress } from '../progress';
import { type Process, runProcess } from '../run-process';
import type { RunningSubscription } from '../subscription';
import type { SubscriptionLog } from '../subscription-options';
import { InMemoryCheckpointStore } from './in-memory-checkpoint-store';
import { InMemoryEventStore } from './in-memory-event-store';
import { InMemorySnapshotStore } from './in-memory-snapshot-store';
import type { Carried } from './turn-based-bus';
import { never, TurnBasedStore } from './turn-based-store';
import { type Pick, Turns } from './turns';

/** Whichever process makes the append with this number dies right before or after it. */
export interface PlannedCrash {
  readonly append: number;
  readonly when: 'before' | 'after';
}

/** What a process of such a world stands on. */
export interface TurnBasedOutside {
  readonly store: EventStore;
  readonly checkpoints: InMemoryCheckpointStore;
  readonly snapshots: SnapshotStore;
  /** Resolves when it is this process's turn; never once the process is dead. */
  readonly turn: () => Promise<void>;
  /** All that the buses of all processes ever carried. */
  readonly carried: Carried[];
}

export interface TurnBasedReplica {
  readonly bus: CommandBus;
  /** Ends what runs on real timers; the rest of a dead process waits for ever, and is collected. */
  abandon(): void;
}

/** A dead process gets no more turns. */
interface Life {
  alive: boolean;
}

/**
 * Several processes on one store, in memory and on a time of its own. What they share (the store, the checkpoints) survives
 * every crash; what they remember does not.
 */
export abstract class TurnBasedWorld<Replica extends TurnBasedReplica> {
  readonly turns: Turns;
  readonly store = new InMemoryEventStore();
  appends = 0;
  plannedCrash: PlannedCrash | undefined;
  /** So many appends are lost on their way to the store. */
  failingAppends = 0;
  protected readonly processes: { readonly life: Life; readonly replica: Replica }[] = [];
  private readonly carried: Carried[] = [];
  private readonly checkpoints = new InMemoryCheckpointStore();
  private readonly snapshots = new InMemorySnapshotStore();

  constructor(pick: Pick) {
    this.turns = new Turns(pick);
    openWorlds.add(this);
  }

  /** After every test, also after one that failed. */
  static closeAll(): void {
    for (const world of openWorlds) world.close();
  }

  protected abstract newReplica(outside: TurnBasedOutside): Replica;

  replica(number = 0): Replica {
    return this.processes[number % this.processes.length]!.replica;
  }

  /** All that the process had in memory is lost, and a new one takes its place. */
  crash(number = 0): void {
    const place = number % this.processes.length;
    this.kill(place);
    this.start(place);
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

  async recorded(): Promise<readonly RecordedEvent[]> {
    return (await this.store.readAll({ after: 0n, pageSize: 1_000_000 })).events;
  }

  /** Ends everything that runs on real timers. */
  close(): void {
    openWorlds.delete(this);
    this.processes.forEach((_process, place) => this.kill(place));
  }

  protected start(place: number): void {
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
    const store = new TurnBasedStore(this.store, { turn, dies, fails });
    const { snapshots, carried } = this;
    const replica = this.newReplica({ store, checkpoints: this.checkpoints.another(), snapshots, turn, carried });
    this.processes[place] = { life, replica };
  }

  private kill(place: number): void {
    const { life, replica } = this.processes[place]!;
    life.alive = false;
    this.turns.drop(life);
    replica.abandon();
  }
}

const openWorlds = new Set<TurnBasedWorld<TurnBasedReplica>>();

export function runInTurns(
  process: Process,
  bus: CommandBus,
  { store, checkpoints }: TurnBasedOutside,
  log: SubscriptionLog,
): RunningSubscription {
  return runProcess(process, bus, {
    ...{ store, checkpoints, log, backoff: noBackoff, pageSize: 20, progress: new Progress() },
    // As in production: whoever gave no answer may give one next time, but a failure would only be repeated.
    isTransient: (error) => error instanceof NoReply && error.cause === undefined,
    // Balancing happens when a process starts; the time of the wall has no say in these flows.
    balanceEveryMs: 2 ** 31 - 1,
  });
}
