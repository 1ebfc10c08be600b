import { readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { readOrEmpty, signalProcess } from '../process/process-list';

/** Resolves when no thread of the process runs: on a busy machine they continue for some time after the signal. */
export async function pauseProcess(pid: number): Promise<void> {
  signalProcess(pid, 'SIGSTOP');
  while (readdirSync(`/proc/${pid}/task`).some((thread) => isRunning(`/proc/${pid}/task/${thread}`))) await delay(5);
}

function isRunning(thread: string): boolean {
  const state = /^State:\s*(\S)/m.exec(readOrEmpty(`${thread}/status`))?.[1];
  return state !== undefined && state !== 'T';
}
