import { type Command, type OperatorActor, randomId } from '@florin/kernel';
import type { CommandReply } from '../../handle-command';
import type { RecordedEvent } from '../../ports/event-store.port';
import { InMemoryCheckpointStore } from '../in-memory-checkpoint-store';
import { InMemoryEventStore } from '../in-memory-event-store';
import { InMemorySnapshotStore } from '../in-memory-snapshot-store';
import { type ChoiceFunction, Scheduler } from './scheduler';
import type { SentMessage } from './simulated-bus';
import type { SimulatedEnvironment, SimulatedReplica } from './simulated-replica';
import { pendingForever, SimulatedStore } from './simulated-store';

/** The replica that makes the append with this number crashes right before or after it. */
export interface PlannedCrash {
  readonly append: number;
  readonly when: 'before' | 'after';
}

/** Who sends all commands from outside: its actor differs from those of all processes. */
export const simulatedOperator: OperatorActor = { kind: 'operator', id: 'bootstrap' };

/** Crashed replicas get no more steps. */
interface Life {
  alive: boolean;
}

/**
 * A deterministic simulation: several replicas on one store, in memory, on a simulated clock. The store, the checkpoints and
 * the snapshots survive every crash; the memory of a replica does not.
 */
export abstract class Simulation<Replica extends SimulatedReplica> {
  readonly scheduler: Scheduler;
  readonly store = new InMemoryEventStore();
  appends = 0;
  plannedCrash: PlannedCrash | undefined;
  /** The number of next appends that fail before they reach the store. */
  failingAppends = 0;
  private readonly replicas: { readonly life: Life; readonly replica: Replica }[] = [];
  private readonly sent: SentMessage[] = [];
  private readonly checkpoints = new InMemoryCheckpointStore();
  private readonly snapshots = new InMemorySnapshotStore();

  constructor(choose: ChoiceFunction) {
    this.scheduler = new Scheduler(choose);
    openSimulations.add(this);
  }

  /** For `afterEach`, because a failed test does not close its simulation. */
  static closeAll(): void {
    for (const simulation of openSimulations) simulation.close();
  }

  protected abstract newReplica(environment: SimulatedEnvironment): Replica;

  /** Advances the clock until nothing can be pending. */
  abstract settle(): Promise<void>;

  replica(number = 0): Replica {
    return this.replicas[number % this.replicas.length]!.replica;
  }

  /** A new replica takes the place of the crashed one. */
  crash(number = 0): void {
    const place = number % this.replicas.length;
    this.kill(place);
    this.start(place);
  }

  /** The replica makes no steps until the others are idle and it is resumed. */
  pause(number: number): void {
    this.scheduler.pause(this.replicas[number]!.life);
  }

  resume(number: number): void {
    this.scheduler.resume(this.replicas[number]!.life);
  }

  /** Sends a command without running any step. If the replica crashes, there is no reply. */
  send<Reply = CommandReply<unknown>>(
    context: string,
    key: string,
    command: Command<string, unknown>,
    to = 0,
  ): Promise<Reply> {
    const id = randomId();
    const headers = { correlationId: id, causationId: id, actor: simulatedOperator };
    return this.replica(to).bus.request<Reply>({ context, key, id, command, headers });
  }

  /** Sends a command and runs until idle. */
  async request<Reply = CommandReply<unknown>>(
    context: string,
    key: string,
    command: Command<string, unknown>,
  ): Promise<Reply> {
    const reply = this.send<Reply>(context, key, command);
    await this.scheduler.runUntilIdle();
    return reply;
  }

  redeliver(which: number, to: number): void {
    const old = this.sent[which % this.sent.length];
    if (old === undefined) return;
    const redelivered = this.replica(to).bus.request(old.message);
    redelivered.catch(() => undefined);
  }

  /** Redelivers every accepted message, and reports the events that were stored because of it. */
  async redeliverAll(): Promise<readonly string[]> {
    const before = await this.store.head();
    for (const [index, { accepted }] of [...this.sent.entries()]) if (accepted) this.redeliver(index, index);
    await this.scheduler.runUntilIdle();
    const { events } = await this.store.readAll({ after: before });
    return events.map(({ stream, type, data }) => `a redelivered message stored ${type} in ${stream}: ${data}`);
  }

  async recorded(): Promise<readonly RecordedEvent[]> {
    return (await this.store.readAll({ after: 0n, pageSize: 1_000_000 })).events;
  }

  stopped(): readonly string[] {
    return this.replicas.flatMap(({ replica }) => replica.stopped());
  }

  close(): void {
    openSimulations.delete(this);
    this.replicas.forEach((_replica, place) => this.kill(place));
  }

  protected start(place: number): void {
    const life: Life = { alive: true };
    const step = (): Promise<void> => (life.alive ? this.scheduler.wait(life) : pendingForever());
    const crashes = (when: PlannedCrash['when']): boolean => {
      if (when === 'before') this.appends += 1;
      if (this.plannedCrash?.append !== this.appends || this.plannedCrash.when !== when) return false;
      this.plannedCrash = undefined;
      this.crash(place);
      return true;
    };
    const fails = (): boolean => this.failingAppends > 0 && this.failingAppends-- > 0;
    const store = new SimulatedStore(this.store, { step, crashes, fails });
    const { snapshots, sent } = this;
    const replica = this.newReplica({ store, checkpoints: this.checkpoints.another(), snapshots, step, sent });
    this.replicas[place] = { life, replica };
  }

  private kill(place: number): void {
    const { life, replica } = this.replicas[place]!;
    life.alive = false;
    this.scheduler.cancel(life);
    replica.abandon();
  }
}

const openSimulations = new Set<Simulation<SimulatedReplica>>();
