import { once } from 'node:events';

/** Its standard input ends when the launcher does, in whatever way; after an orderly end there is nothing left to do. */
async function guard(): Promise<void> {
  await once(process.stdin.resume(), 'end');
  // Loaded late: it is large, and hardly ever needed.
  const { endAbandoned } = await import('./end-abandoned-processes');
  const [dataDirectory = '', launcher = ''] = process.argv.slice(2);
  await endAbandoned(dataDirectory, Number(launcher));
}

void guard();
