import { noBackoff } from '../no-backoff';
import { type CommandBus, NoReply } from '../../ports/command-bus.port';
import type { EventStore } from '../../ports/event-store.port';
import type { SnapshotStore } from '../../ports/snapshot-store.port';
import { Progress } from '../../progress';
import { type Process, runProcess } from '../../run-process';
import type { RunningSubscription } from '../../subscription';
import type { SubscriptionLog } from '../../subscription-options';
import type { InMemoryCheckpointStore } from '../in-memory-checkpoint-store';
import { type Routes, type SentMessage, simulatedBus } from './simulated-bus';

/** What a replica has outside its memory. */
export interface SimulatedEnvironment {
  readonly store: EventStore;
  readonly checkpoints: InMemoryCheckpointStore;
  readonly snapshots: SnapshotStore;
  /** Resolves when the scheduler runs the step; never after a crash of the replica. */
  readonly step: () => Promise<void>;
  /** The messages of all replicas. */
  readonly sent: SentMessage[];
}

/** One operating-system process with command handlers and event processes. A crash loses everything in its memory. */
export abstract class SimulatedReplica {
  readonly bus: CommandBus;
  private readonly contexts: Record<string, Routes> = {};
  private readonly processes: RunningSubscription[] = [];

  constructor(private readonly environment: SimulatedEnvironment) {
    this.bus = simulatedBus(this.contexts, environment.step, environment.sent);
  }

  /** Why event processes stopped: each met something that it cannot handle. */
  stopped(): readonly string[] {
    return this.processes.flatMap((process) => {
      const status = process.status();
      return status.state === 'stopped' ? [`a process stopped: ${status.reason}`] : [];
    });
  }

  /** Ends everything that runs on real timers. The rest waits forever for its next step, and is garbage-collected. */
  abandon(): void {
    this.environment.checkpoints.crash();
    for (const process of this.processes) void process.stop();
  }

  protected handleCommands(context: string, routes: Routes): void {
    this.contexts[context] = routes;
  }

  protected runProcess(process: Process, log: SubscriptionLog): void {
    const { store, checkpoints } = this.environment;
    const running = runProcess(process, this.bus, {
      ...{ store, checkpoints, log, backoff: noBackoff, pageSize: 20, progress: new Progress() },
      // As in production: a missing reply may arrive next time, a failure would only be repeated.
      isTransient: (error) => error instanceof NoReply && error.cause === undefined,
      // Shards are balanced when a replica starts; real time must not matter.
      balanceEveryMs: 2 ** 31 - 1,
    });
    this.processes.push(running);
  }
}
