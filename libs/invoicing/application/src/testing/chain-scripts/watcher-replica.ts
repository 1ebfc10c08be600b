import { InProcessCommandBus } from '@florin/command-bus-in-process';
import {
  type Backoff,
  CLOCK,
  COMMAND_BUS,
  EVENT_STORE,
  type Position,
  Progress,
  type RunningSubscription,
  runProcess,
  SNAPSHOT_STORE,
  type SnapshotStore,
} from '@florin/event-sourcing';
import { type InMemoryCheckpointStore, silentLog } from '@florin/event-sourcing/testing';
import type { Clock } from '@florin/kernel';
import { LedgerModule } from '@florin/ledger-application';
import { CHAIN, TronModule, type TronStatus, TronWatcher, type WatcherTime } from '@florin/tron-application';
import { type ConnectToNode, TronNodeChain } from '@florin/tron-node';
import { simulatedContract } from '@florin/tron-simulator';
import { type DynamicModule, type INestMicroservice, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { DUE_INVOICES, type DueInvoices } from '../../due-invoices.port';
import { InvoicingModule } from '../../invoicing.module';
import { invoicesProcess } from '../../invoices.process';
import { settlementProcess } from '../../settlement.process';
import type { CrashingStore } from './crashing-store';

export interface ReplicaOptions {
  readonly store: CrashingStore;
  readonly checkpoints: InMemoryCheckpointStore;
  readonly snapshots: SnapshotStore;
  readonly clock: Clock;
  readonly nodeUrl: string;
  /** Over HTTP by default. */
  readonly connect?: ConnectToNode;
  readonly nodeTimeoutMs: number;
  readonly addresses: readonly string[];
  readonly startBlock: number;
  readonly lifetimeMs: number;
}

export const processes = [invoicesProcess, settlementProcess];

/** Shortens all pauses. */
const shortPauses: WatcherTime = {
  nowMs: () => performance.now(),
  pause: (milliseconds, signal) => delay(Math.min(milliseconds, 5), undefined, { signal }).catch(() => undefined),
};

/** Retries in the next turn: without it, the retries of a crashed replica would keep all others from running. */
const shortBackoff: Backoff = { wait: () => nextTurn() };

/** Live invoices expire by block times, and the processes retry by themselves, so the clock has nothing to do. */
const nothingDue: DueInvoices = { expiredBefore: async () => [], unchangedSince: async () => [] };

@Module({})
class Platform {}

/** The watcher, invoicing and the ledger as one process, which loses its memory in a crash. */
export class WatcherReplica {
  private readonly progress = new Progress();
  private readonly processes: readonly RunningSubscription[];

  private constructor(
    readonly bus: InProcessCommandBus,
    private readonly app: INestMicroservice,
    private readonly options: ReplicaOptions,
  ) {
    const { store, checkpoints } = options;
    const runtime = { store, checkpoints, log: silentLog, progress: this.progress, backoff: shortBackoff };
    const subscriptions = { ...runtime, isTransient: () => true, balanceEveryMs: 20 };
    this.processes = processes.map((process) => runProcess(process, bus, subscriptions));
  }

  static async start(options: ReplicaOptions): Promise<WatcherReplica> {
    const bus = new InProcessCommandBus({ onFailedSend: () => undefined });
    const root = composition(options, bus);
    const app = await NestFactory.createMicroservice(root, { strategy: bus.transport, logger: false });
    await app.listen();
    return new WatcherReplica(bus, app, options);
  }

  get isRunning(): boolean {
    return !this.options.store.hasCrashed;
  }

  get watcher(): TronWatcher {
    return this.app.get(TronWatcher, { strict: false });
  }

  status(): TronStatus {
    return this.watcher.status();
  }

  /** The names of the processes that have handled all events up to the position. */
  reached(position: Position): readonly string[] {
    return this.processes.flatMap(({ name }) => (this.progress.hasReached(name, position) ? [name] : []));
  }

  /** Crashes the replica if it is running, and stops its timers. */
  async kill(): Promise<void> {
    this.options.store.hasCrashed = true;
    await Promise.all(this.processes.map((process) => process.stop()));
    await this.app.close();
  }
}

function composition(options: ReplicaOptions, bus: InProcessCommandBus): DynamicModule {
  const { store, snapshots, clock, nodeUrl, nodeTimeoutMs, connect, addresses, startBlock, lifetimeMs } = options;
  const contract = simulatedContract;
  const chain = new TronNodeChain({ url: nodeUrl, contract, addresses, timeoutMs: nodeTimeoutMs }, connect);
  const providers = [
    { provide: EVENT_STORE, useValue: store },
    { provide: SNAPSHOT_STORE, useValue: snapshots },
    { provide: COMMAND_BUS, useValue: bus },
    { provide: CLOCK, useValue: clock },
    { provide: CHAIN, useValue: chain },
    { provide: DUE_INVOICES, useValue: nothingDue },
  ];
  const timing = { blocksPerSecond: 1_000_000, storeEveryMs: 10, pollMs: 5, backoff: shortBackoff, time: shortPauses };
  return {
    module: class Root {},
    imports: [
      { module: Platform, global: true, providers, exports: providers.map(({ provide }) => provide) },
      LedgerModule,
      InvoicingModule.forRoot({ addresses, lifetimeMs, minimumAmount: '10.00', log: silentLog }),
      TronModule.forRoot({ startBlock, contract, log: silentLog, ...timing }),
    ],
  };
}
