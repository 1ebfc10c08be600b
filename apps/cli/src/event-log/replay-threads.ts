import type { DatabaseConnection } from '@florin/database';
import type { PartProgress, ReplayPart, ReplayWorker } from '@florin/read-models/tools';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Environment } from '../connection';

export interface ReplayThreadData {
  readonly environment: Environment;
  readonly connection: DatabaseConnection;
  readonly part: ReplayPart;
}

/** Only three read models are large. */
const maxThreads = 3;
/** Missing if the sources run, as in tests. */
const entry = join(__dirname, 'replay-thread.js');

/** Threads that rebuild a part each, beside the main thread. */
export function replayThreads(
  count: number | undefined,
  environment: Environment,
  connection: DatabaseConnection,
  report: (text: string) => void,
): readonly ReplayWorker[] {
  // One core is left to the database server, which may be on this machine.
  const threads = Math.min(count ?? Math.max(1, availableParallelism() - 1), maxThreads);
  if (!existsSync(entry)) return [];
  return Array.from({ length: threads - 1 }, (): ReplayWorker => {
    return async (part, progress, signal) => {
      try {
        await runThread({ environment, connection, part }, progress, signal);
      } catch (error) {
        if (signal.aborted) return;
        const names = part.readModels.join(', ');
        report(`A worker has stopped: ${(error as Error).message}. The main thread continues with ${names}.`);
      }
    };
  });
}

function runThread(
  workerData: ReplayThreadData,
  report: (progress: readonly PartProgress[]) => void,
  signal: AbortSignal,
): Promise<void> {
  const thread = new Worker(entry, { workerData });
  const abort = (): void => void thread.terminate();
  signal.addEventListener('abort', abort);
  return new Promise<void>((resolve, reject) => {
    thread.on('message', report);
    thread.once('error', reject);
    // The thread and its connections have ended.
    thread.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`exit code ${code}`))));
  }).finally(() => signal.removeEventListener('abort', abort));
}
