import { setTimeout as delay } from 'node:timers/promises';
import type { ChaosBroker } from '../environment/chaos-broker';
import type { ChaosDatabase } from '../environment/chaos-database';
import type { ChaosEventStore } from '../environment/chaos-event-store';
import type { Composition } from '../environment/composition';
import { disturb } from './disturb';
import type { Duplicator } from './duplicator';
import { injectEventStoreFault } from './event-store-faults';
import type { FaultKind } from './fault-kinds';
import { describeFault, type Fault } from './schedule';

export interface Targets {
  readonly composition: Composition;
  readonly database: ChaosDatabase;
  /** Absent when the product runs without a broker. */
  readonly broker?: ChaosBroker;
  readonly duplicator?: Duplicator;
  /** Absent when the log is in Postgres. */
  readonly eventStore?: ChaosEventStore;
}

const commandsPerRepeat = 40;
const restartTimeoutMs = 60_000;
const restartPauseMs = 1_000;

/** Injects the faults of a schedule. Faults of one target run one after the other; different targets fail concurrently. */
export class Injector {
  readonly done: string[] = [];
  private readonly queues = new Map<unknown, Promise<void>>();
  private readonly failures: string[] = [];

  constructor(
    private readonly targets: Targets,
    private readonly log: (line: string) => void,
  ) {}

  /** Resolves when all faults are over, with the faults that could not be undone. */
  async run(faults: readonly Fault[]): Promise<readonly string[]> {
    const startedAt = Date.now();
    for (const fault of faults) {
      await delay(Math.max(0, startedAt + fault.atMs - Date.now()));
      this.log(describeFault(fault));
      this.enqueue(fault);
    }
    await Promise.all(this.queues.values());
    this.targets.database.proxy.resume();
    this.targets.broker?.proxy.resume();
    this.targets.eventStore?.proxy?.resume();
    return this.failures;
  }

  private enqueue(fault: Fault): void {
    const queue = this.queueOf(fault.kind);
    const before = this.queues.get(queue) ?? Promise.resolve();
    const work = before
      .then(() => this.inject(fault))
      .then((what) => void this.done.push(`${new Date().toISOString()} ${fault.kind} ${what}`))
      .catch((error: unknown) => {
        this.failures.push(`${fault.kind}: ${error instanceof Error ? error.message : String(error)}`);
      });
    this.queues.set(queue, work);
  }

  private queueOf(kind: FaultKind): unknown {
    if (kind.endsWith('-database')) return this.targets.database;
    if (kind.endsWith('-event-store')) return this.targets.eventStore;
    return kind.endsWith('-broker') ? this.targets.broker : kind;
  }

  /** Resolves with the name of what was affected. */
  private async inject(fault: Fault): Promise<string> {
    const { kind, forMs, delayMs, target } = fault;
    const { composition, database, broker, duplicator, eventStore } = this.targets;
    if (kind.endsWith('-event-store')) {
      return eventStore === undefined ? '' : injectEventStoreFault({ eventStore, database }, fault);
    }
    switch (kind) {
      case 'kill-service':
        return this.killService(target);
      case 'rolling-restart': {
        const service = pickBy(composition.services, target);
        await this.restartService(service);
        return service;
      }
      case 'kill-database':
      case 'kill-broker': {
        const server = kind === 'kill-database' ? database : broker;
        await server?.kill();
        await delay(forMs);
        await server?.restart();
        return '';
      }
      case 'repeat-commands':
        return `${(await duplicator?.repeat(commandsPerRepeat)) ?? 0} commands`;
      default: {
        const proxy = kind.endsWith('-database') ? database.proxy : broker?.proxy;
        if (proxy !== undefined) await disturb(proxy, kind, forMs, delayMs);
        return '';
      }
    }
  }

  /** A new process exits when a backing service is down during its start. As in a deployment, it is started again. */
  private async restartService(service: string): Promise<void> {
    const deadline = Date.now() + restartTimeoutMs;
    for (;;) {
      try {
        return await this.targets.composition.rollingRestart(service);
      } catch (error) {
        if (Date.now() > deadline) throw error;
        this.log(`rolling-restart of ${service} is repeated, because it failed: ${String(error)}`);
        await delay(restartPauseMs);
      }
    }
  }

  private async killService(target: number): Promise<string> {
    const process = pickBy(this.targets.composition.processes, target);
    await process.kill();
    return process.name;
  }
}

function pickBy<Item>(items: readonly Item[], target: number): Item {
  const item = items[Math.floor(target * items.length)];
  if (item === undefined) throw new Error('There is no process for this fault.');
  return item;
}
