import { problemOf, type Process, type RunningSubscription, runProcess } from '@florin/event-sourcing';
import type { Health } from './health';
import type { Log } from './log';
import type { Platform } from './platform';
import { retryable } from './transient';

/**
 * Starts the process managers. One that has stopped or keeps failing makes the service unready and reports the reason. A
 * command without a reply, or during an outage, is retried indefinitely: commands are idempotent, and funds may wait for it.
 */
export function startProcesses(
  processes: readonly Process[],
  shards: number,
  { platform, health, log }: { platform: Platform; health: Health; log: Log },
): RunningSubscription[] {
  const { store, checkpoints, progress, bus, isOutage } = platform;
  const isTransient = retryable(isOutage);
  const runtime = { store, checkpoints, progress, log, isTransient, pageSize, lingerMs };
  return processes.map((process) => {
    // A process manager that follows the order of the whole log cannot be sharded.
    const running = runProcess(process, bus, runtime, process.inOrder ? 1 : shards);
    health.register(`process ${process.name}`, async () => problemOf(running.status()) ?? true);
    return running;
  });
}

/** Larger batches cost little more than small ones, and no client notices this delay. */
const lingerMs = 10;

/** All commands of a batch are sent concurrently; a larger batch would only queue in memory. */
const pageSize = 500;
