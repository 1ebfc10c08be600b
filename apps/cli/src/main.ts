import { commands } from './commands';
import { runCli } from './run-cli';

async function main(): Promise<void> {
  process.exitCode = await runCli(process.argv.slice(2), commands, {
    environment: process.env,
    print: (text) => process.stdout.write(`${text}\n`),
    complain: (text) => process.stderr.write(`${text}\n`),
    interrupted,
  });
}

function interrupted(): AbortSignal {
  const wish = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => wish.abort());
  return wish.signal;
}

void main();
