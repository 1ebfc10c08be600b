import { spawn } from 'node:child_process';
import { join } from 'node:path';

/** Starts a small process that stops the services when this process is killed. */
export function startGuardian(dataDirectory: string): void {
  const guardian = spawn(process.execPath, [join(__dirname, 'guardian.js'), dataDirectory, String(process.pid)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // Without a guardian, the next start on the folder cleans up.
  guardian.on('error', () => undefined);
  guardian.unref();
}
