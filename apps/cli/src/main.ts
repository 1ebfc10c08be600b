import { runCli } from './run-cli';

async function main(): Promise<void> {
  process.exitCode = await runCli(process.argv.slice(2), {
    environment: process.env,
    print: (text) => process.stdout.write(`${text}\n`),
    printError: (text) => process.stderr.write(`${text}\n`),
    interrupted,
  });
}

function interrupted(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => controller.abort());
  return controller.signal;
}

void main();
