import { spawn } from 'node:child_process';
import { join } from 'node:path';

/** Starts a small process that outlives this one, should it be killed, and then ends what it has left behind. */
export function postGuardian(dataDirectory: string): void {
  const guardian = spawn(process.execPath, [join(__dirname, 'guardian.js'), dataDirectory, String(process.pid)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // Where there cannot be one, the next start on the folder does its work.
  guardian.on('error', () => undefined);
  guardian.unref();
}
