import { commands } from './commands';
import { runCli } from './run-cli';

async function main(): Promise<void> {
  process.exitCode = await runCli(process.argv.slice(2), commands, {
    environment: process.env,
    print: (text) => process.stdout.write(`${text}\n`),
    complain: (text) => process.stderr.write(`${text}\n`),
  });
}

void main();
