import { join } from 'node:path';
import { commands } from '../commands';
import type { Environment } from '../connection';
import { runCli } from '../run-cli';

export interface LineResult {
  readonly exitCode: number;
  readonly out: string;
  readonly err: string;
}

const nowhere = join(__dirname, 'no-such-folder');

/** Runs a command line as a terminal would, in an environment that knows nothing but what it is given. */
export async function runLine(args: readonly string[], environment: Environment = {}): Promise<LineResult> {
  let [out, err] = ['', ''];
  const exitCode = await runCli(args, commands, {
    environment: { FLORIN_DATA_DIR: nowhere, ...environment },
    print: (text) => (out += `${text}\n`),
    complain: (text) => (err += `${text}\n`),
  });
  return { exitCode, out, err };
}
