import { type Process, type RunningSubscription, runProcess } from '@florin/event-sourcing';
import type { Health } from './health';
import type { Log } from './log';
import type { Platform } from './platform';
import { worthRepeating } from './transient';

/**
 * Starts the processes; one that has stopped turns the process unready, with the event that stopped it. A command that
 * got no reply in time, or met an outage, is repeated for as long as it takes: it is safe to, and somebody's money may
 * wait for it.
 */
export function startProcesses(
  processes: readonly Process[],
  shards: number,
  { platform, health, log }: { platform: Platform; health: Health; log: Log },
): RunningSubscription[] {
  const { store, checkpoints, progress, bus, isOutage } = platform;
  const isTransient = worthRepeating(isOutage);
  const runtime = { store, checkpoints, progress, log, isTransient, pageSize, lingerMs };
  return processes.map((process) => {
    // What has to follow in the order of the whole log cannot be divided.
    const running = runProcess(process, bus, runtime, process.inOrder ? 1 : shards);
    health.register(`process ${process.name}`, async () => {
      const status = running.status();
      return status.state === 'stopped' ? status.reason : true;
    });
    return running;
  });
}

/** What follows from one event follows from many at little more cost; nobody waits for it so short a time. */
const lingerMs = 10;

/** A batch's commands are all under way at once: more than this would only wait inside instead of in the log. */
const pageSize = 500;
