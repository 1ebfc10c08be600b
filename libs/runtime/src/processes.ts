import { isTransientDatabaseError } from '@florin/database';
import { NoReply, type Process, type RunningSubscription, runProcess } from '@florin/event-sourcing';
import type { Health } from './health';
import type { Log } from './log';
import type { Platform } from './platform';

/**
 * Starts the processes; one that has stopped turns the process unready, with the event that stopped it. A command that
 * got no reply in time, or met an outage, is repeated for as long as it takes: it is safe to, and somebody's money may
 * wait for it. One whose handler has failed is not: the same would happen again.
 */
export function startProcesses(
  processes: readonly Process[],
  { platform, health, log }: { platform: Platform; health: Health; log: Log },
): RunningSubscription[] {
  const { store, checkpoints, progress, bus } = platform;
  return processes.map((process) => {
    const running = runProcess(process, bus, { store, checkpoints, progress, log, isTransient, pageSize, lingerMs });
    health.register(`process ${process.name}`, async () => {
      const status = running.status();
      return status.state === 'stopped' ? status.reason : true;
    });
    return running;
  });
}

function isTransient(error: unknown): boolean {
  if (!(error instanceof NoReply)) return isTransientDatabaseError(error);
  return error.cause === undefined || isTransientDatabaseError(error.cause);
}

/** What follows from one event follows from many at little more cost; nobody waits for it so short a time. */
const lingerMs = 10;

/** A batch's commands are all under way at once: more than this would only wait inside instead of in the log. */
const pageSize = 500;
