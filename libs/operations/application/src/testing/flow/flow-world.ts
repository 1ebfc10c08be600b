import type { CommandReply, RecordedEvent } from '@florin/event-sourcing';
import { inOrder, type Pick, silentLog, type TurnBasedOutside, TurnBasedWorld } from '@florin/event-sourcing/testing';
import { type Command, randomId } from '@florin/kernel';
import type { OperationsOptions } from '../../operations-options';
import { FlowLog, unfinishedIn } from './flow-log';
import { InMemoryVault } from './in-memory-vault';
import { Replica } from './replica';
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

/** A whole company of processes; the issuer's journal survives every crash, too. */
export class FlowWorld extends TurnBasedWorld<Replica> {
  readonly time = new VirtualTime('2030-01-15T12:00:00.000Z');
  readonly journal = new IssuerJournal();
  readonly vault = new InMemoryVault();
  readonly options: OperationsOptions;

  private constructor({ pick = inOrder, overrides = {} }: WorldOptions) {
    super(pick);
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
    for (const event of options.history ?? []) await world.store.append(event.stream, event.revision - 1, [event]);
    for (let number = 0; number < (options.replicas ?? 1); number++) world.start(number);
    return world;
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

  /** Lets so much time pass, has the watchdog look, and everybody come to rest. */
  async pass(milliseconds: number): Promise<void> {
    this.time.advance(milliseconds);
    await this.turns.grantAll();
    void this.replica().watchdog.tick();
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

  protected newReplica(outside: TurnBasedOutside): Replica {
    return new Replica({
      ...outside,
      clock: this.time,
      issuer: scriptedIssuer(this.journal, outside.turn),
      vault: this.vault,
      unfinished: { notMovedSince: async (before) => unfinishedIn(await this.recorded(), before) },
      options: this.options,
    });
  }
}

type AnyCommand = Command<string, unknown>;
