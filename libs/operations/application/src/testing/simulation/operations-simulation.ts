import type { RecordedEvent } from '@florin/event-sourcing';
import { type Choose, inOrder, silentLog, type SimulatedEnvironment, Simulation } from '@florin/event-sourcing/testing';
import type { OperationsOptions } from '../../operations-options';
import { InMemoryVault } from './in-memory-vault';
import { OperationsLog, unfinishedIn } from './operations-log';
import { Replica } from './replica';
import { IssuerJournal, scriptedIssuer } from './scripted-issuer';
import { VirtualTime } from './virtual-time';

export const issuerTimeoutMs = 10_000;

export interface SimulationOptions {
  readonly choose?: Choose;
  readonly replicas?: number;
  readonly overrides?: Partial<OperationsOptions>;
  /** The log before the first replica starts. */
  readonly history?: readonly RecordedEvent[];
}

/** Replicas with operations and the ledger, and one issuer. */
export class OperationsSimulation extends Simulation<Replica> {
  readonly time = new VirtualTime('2030-01-15T12:00:00.000Z');
  readonly journal = new IssuerJournal();
  readonly vault = new InMemoryVault();
  readonly options: OperationsOptions;

  private constructor({ choose = inOrder, overrides = {} }: SimulationOptions) {
    super(choose);
    this.options = {
      issuerTimeoutMs,
      issuerConcurrency: 8,
      minimums: { issue: '10.00', topup: '10.00' },
      log: silentLog,
      abortAfter: (milliseconds) => this.time.abortAfter(milliseconds),
      ...overrides,
    };
  }

  static async open(options: SimulationOptions = {}): Promise<OperationsSimulation> {
    const simulation = new OperationsSimulation(options);
    for (const event of options.history ?? []) await simulation.store.append(event.stream, event.revision - 1, [event]);
    for (let number = 0; number < (options.replicas ?? 1); number++) simulation.start(number);
    return simulation;
  }

  /** Advances the clock, runs the watchdog, and runs until idle. */
  async pass(milliseconds: number): Promise<void> {
    this.time.advance(milliseconds);
    await this.scheduler.runUntilIdle();
    void this.replica().watchdog.tick();
    await this.scheduler.runUntilIdle();
  }

  override async settle(): Promise<void> {
    await this.scheduler.runUntilIdle();
    for (let rounds = 0; rounds < 3; rounds++) await this.pass(issuerTimeoutMs + 20_000);
  }

  async log(): Promise<OperationsLog> {
    return new OperationsLog(await this.recorded());
  }

  protected override newReplica(environment: SimulatedEnvironment): Replica {
    return new Replica({
      ...environment,
      clock: this.time,
      issuer: scriptedIssuer(this.journal, environment.step),
      vault: this.vault,
      unfinished: { unchangedSince: async (before) => unfinishedIn(await this.recorded(), before) },
      options: this.options,
    });
  }
}
