import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { inheritedEnv, root } from './florin-process';
import { until } from './until';

const cli = join(root, 'apps/cli/dist/main.js');

/** `npm run florin --` without npm, which would build first. */
const preamble = `
npm() { [ "$2" = --silent ] && shift; shift 3; node ${JSON.stringify(cli)} "$@" </dev/null; }
set -E
trap 'echo "This command failed: $BASH_COMMAND"' ERR
`;

/** A bash in which the commands of a document run one block after another, as a reader would enter them. */
export class Shell {
  /** What its commands have printed, on stdout and stderr. */
  output = '';
  private blocks = 0;
  private readonly child;

  constructor(folder: string) {
    this.child = spawn('bash', ['--noprofile', '--norc'], { cwd: folder, env: inheritedEnv(), detached: true });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream.on('data', (text) => (this.output += String(text)));
    }
    this.child.stdin.write(preamble);
  }

  /** Returns the output of the block. Fails if one of its commands fails. */
  async run(block: string): Promise<string> {
    const [start, mark] = [this.output.length, `End of block ${++this.blocks}.`];
    this.child.stdin.write(`${block}\necho "${mark}"\n`);
    const read = async (): Promise<string> => this.output.slice(start);
    const output = await until('the block has ended', read, (text) => text.includes(mark), 60_000);
    if (output.includes('This command failed')) throw new Error(output);
    return output;
  }

  /** Ends bash and what it has started in the background. */
  async close(): Promise<void> {
    if (this.child.exitCode !== null || this.child.pid === undefined) return;
    const closed = once(this.child, 'close');
    process.kill(-this.child.pid, 'SIGKILL');
    await closed;
  }
}
