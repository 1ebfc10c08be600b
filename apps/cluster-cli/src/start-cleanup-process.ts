import { spawn } from 'node:child_process';
import { join } from 'node:path';

/** Starts a small process that stops the services when this process is killed. */
export function startCleanupProcess(dataDirectory: string): void {
  const cleanup = spawn(process.execPath, [join(__dirname, 'cleanup-process.js'), dataDirectory, String(process.pid)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // Without it, the next start on the folder cleans up.
  cleanup.on('error', () => undefined);
  cleanup.unref();
}
