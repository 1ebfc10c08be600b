import { join } from 'node:path';
import type { Environment } from '../connection';
import { runCli } from '../run-cli';

export interface CommandResult {
  readonly exitCode: number;
  readonly out: string;
  readonly err: string;
}

const missingFolder = join(__dirname, 'no-such-folder');

/** Runs a command with only the given environment variables. */
export async function runCommand(args: readonly string[], environment: Environment = {}): Promise<CommandResult> {
  let [out, err] = ['', ''];
  const exitCode = await runCli(args, {
    environment: { FLORIN_DATA_DIR: missingFolder, ...environment },
    print: (text) => (out += `${text}\n`),
    printError: (text) => (err += `${text}\n`),
  });
  return { exitCode, out, err };
}
