import { runCli } from './run-cli';

const interruption = new AbortController();

async function main(): Promise<void> {
  const exitCode = await runCli(process.argv.slice(2), {
    environment: process.env,
    print: (text) => process.stdout.write(`${text}\n`),
    printError: (text) => process.stderr.write(`${text}\n`),
    ...(process.stderr.isTTY && { showStatus: (text: string) => process.stderr.write(`\r\x1b[K${text}`) }),
    interrupted,
  });
  // A query may still run, whose result nothing waits for.
  if (interruption.signal.aborted) process.exit(exitCode);
  process.exitCode = exitCode;
}

function interrupted(): AbortSignal {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interruption.abort());
  return interruption.signal;
}

// The reader of a pipe may end first, as `head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

void main();
