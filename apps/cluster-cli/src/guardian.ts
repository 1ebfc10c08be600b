import { once } from 'node:events';

/** The launcher holds the other end of standard input, so it ends when the launcher exits for any reason. */
async function guard(): Promise<void> {
  await once(process.stdin.resume(), 'end');
  // Loaded late: it is large and rarely needed.
  const { stopAbandonedProcesses } = await import('./stop-abandoned-processes');
  const [dataDirectory = '', launcher = ''] = process.argv.slice(2);
  await stopAbandonedProcesses(dataDirectory, Number(launcher));
}

void guard();
