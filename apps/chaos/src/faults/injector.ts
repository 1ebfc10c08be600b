import type { TcpProxy } from '@florin/dev-platform';
import { setTimeout as delay } from 'node:timers/promises';
import type { ChaosBroker } from '../world/chaos-broker';
import type { ChaosDatabase } from '../world/chaos-database';
import type { Composition } from '../world/composition';
import type { Duplicator } from './duplicator';
import type { FaultKind } from './fault-kinds';
import { describeFault, type Fault } from './schedule';

export interface Targets {
  readonly composition: Composition;
  readonly database: ChaosDatabase;
  /** Absent where the product has no broker. */
  readonly broker?: ChaosBroker;
  readonly duplicator?: Duplicator;
}

const repeatedAtOnce = 40;

/** Carries out a schedule. What happens to one thing happens one after the other; different things break together. */
export class Injector {
  readonly done: string[] = [];
  private readonly queues = new Map<unknown, Promise<void>>();
  private readonly failures: string[] = [];

  constructor(
    private readonly targets: Targets,
    private readonly tell: (line: string) => void,
  ) {}

  /** Resolves when the last fault is over and everything is given back; says what could not be given back. */
  async run(faults: readonly Fault[]): Promise<readonly string[]> {
    const begun = Date.now();
    for (const fault of faults) {
      await delay(Math.max(0, begun + fault.atMs - Date.now()));
      this.tell(describeFault(fault));
      this.enqueue(fault);
    }
    await Promise.all(this.queues.values());
    this.targets.database.proxy.resume();
    this.targets.broker?.proxy.resume();
    return this.failures;
  }

  private enqueue(fault: Fault): void {
    const target = this.targetOf(fault.kind);
    const before = this.queues.get(target) ?? Promise.resolve();
    const work = before
      .then(() => this.carryOut(fault))
      .then((what) => void this.done.push(`${new Date().toISOString()} ${fault.kind} ${what}`))
      .catch((error: unknown) => {
        this.failures.push(`${fault.kind}: ${error instanceof Error ? error.message : String(error)}`);
      });
    this.queues.set(target, work);
  }

  private targetOf(kind: FaultKind): unknown {
    if (kind.endsWith('-database')) return this.targets.database;
    return kind.endsWith('-broker') ? this.targets.broker : kind;
  }

  /** Answers whom it met. */
  private async carryOut({ kind, forMs, delayMs, victim }: Fault): Promise<string> {
    const { composition, database, broker, duplicator } = this.targets;
    switch (kind) {
      case 'kill-service':
        return this.killService(victim);
      case 'rolling-restart': {
        const service = pickBy(composition.services, victim);
        await composition.rollingRestart(service);
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
        return `${(await duplicator?.repeat(repeatedAtOnce)) ?? 0} commands`;
      default: {
        const proxy = kind.endsWith('-database') ? database.proxy : broker?.proxy;
        if (proxy !== undefined) await disturb(proxy, kind, forMs, delayMs);
        return '';
      }
    }
  }

  private async killService(victim: number): Promise<string> {
    const process = pickBy(this.targets.composition.processes, victim);
    await process.kill();
    return process.name;
  }
}

async function disturb(proxy: TcpProxy, kind: FaultKind, forMs: number, delayMs: number): Promise<void> {
  if (kind.startsWith('cut')) return proxy.cut();
  if (kind.startsWith('refuse')) proxy.refuse();
  else proxy.delay(delayMs);
  await delay(forMs);
  proxy.resume();
}

function pickBy<Item>(items: readonly Item[], victim: number): Item {
  const item = items[Math.floor(victim * items.length)];
  if (item === undefined) throw new Error('There is nobody to do this to.');
  return item;
}
