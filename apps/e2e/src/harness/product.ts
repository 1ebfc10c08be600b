import { testBroker } from '@florin/dev-platform/testing';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ApiClient } from './client';
import { until } from './until';

export interface Credentials {
  readonly baseUrl: string;
  readonly operatorToken: string;
  readonly companies: readonly {
    readonly id: string;
    readonly name: string;
    readonly kind: string;
    readonly keys: { readonly sandbox: string; readonly live: string };
  }[];
}

export interface ProductOptions {
  readonly dataDirectory?: string;
  readonly env?: Readonly<Record<string, string>>;
}

const root = resolve(__dirname, '../../../..');
const startTimeoutMs = 120_000;

/** The whole product as one process, or as a cluster of services on Kafka: the same tests hold for both. */
export const composition = process.env['FLORIN_COMPOSITION'] === 'cluster' ? 'cluster' : 'all-in-one';

/** What has been started and not ended, and folders whose database server was left without a product. */
const running = new Set<Product>();
const leftBehind = new Set<string>();

/** The running product, as a stranger would start it: its own process, its own data folder, nothing shared with the test. */
export class Product {
  private constructor(
    readonly baseUrl: string,
    readonly dataDirectory: string,
    private readonly child: ChildProcess,
    private readonly output: string[],
  ) {}

  static async start(options: ProductOptions = {}): Promise<Product> {
    const dataDirectory = options.dataDirectory ?? newDataDirectory();
    const port = await freePort();
    const child = await launch({ ...options.env, PORT: String(port), FLORIN_DATA_DIR: dataDirectory });
    const product = new Product(`http://127.0.0.1:${port}`, dataDirectory, child, collectOutput(child));
    running.add(product);
    child.once('exit', () => running.delete(product));
    leftBehind.delete(dataDirectory);
    await product.untilReady();
    return product;
  }

  get credentials(): Credentials {
    return JSON.parse(readFileSync(join(this.dataDirectory, 'credentials.json'), 'utf8')) as Credentials;
  }

  /** Everything it has printed so far. */
  get log(): string {
    return this.output.join('');
  }

  /** Where a service tells its health and its metrics. In one process all of them do so together. */
  async monitorOf(service: string): Promise<ApiClient> {
    if (composition === 'all-in-one') return new ApiClient(this.baseUrl, undefined);
    const saying = new RegExp(`${service} is ready; its health is at (http://[^/"]+)`, 'g');
    const lastSaid = async (): Promise<string | undefined> => [...this.log.matchAll(saying)].at(-1)?.[1];
    // A log may be written a moment later.
    const address = await until(`${service} has said where it is`, lastSaid, (said) => said !== undefined);
    return new ApiClient(address!, undefined);
  }

  /** Asks it to end, and gives its exit code. */
  async stop(): Promise<number | null> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return this.child.exitCode;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    await ended;
    return this.child.exitCode;
  }

  /** Ends the process and all its descendants, the database server included, at once and without a word. */
  async kill(): Promise<void> {
    const ended = once(this.child, 'exit');
    const own = this.child.pid!;
    for (const pid of [own, ...processesBelow(own).map((process) => process.pid)]) process.kill(pid, 'SIGKILL');
    await ended;
  }

  /** Ends only the product itself and leaves its database server behind, as an out-of-memory killer might. */
  async killAlone(): Promise<void> {
    leftBehind.add(this.dataDirectory);
    const ended = once(this.child, 'exit');
    const own = this.child.pid!;
    const services = processesBelow(own).filter(({ command }) => command.includes(join(root, 'apps')));
    for (const pid of [own, ...services.map((service) => service.pid)]) process.kill(pid, 'SIGKILL');
    await ended;
  }

  removeData(): void {
    rmSync(this.dataDirectory, { recursive: true, force: true });
  }

  private async untilReady(): Promise<void> {
    const deadline = Date.now() + startTimeoutMs;
    while (Date.now() < deadline) {
      if (this.child.exitCode !== null) break;
      const ready = await fetch(`${this.baseUrl}/health/ready`).catch(() => undefined);
      if (ready?.status === 200) return;
      await delay(50);
    }
    this.child.kill('SIGKILL');
    throw new Error(`The product did not get ready (exit code ${this.child.exitCode}):\n${this.log}`);
  }
}

/** Ends what a failed test has left running: it would keep the whole run from ending. */
export async function endLeftovers(): Promise<void> {
  for (const product of running) {
    await product.kill();
    product.removeData();
  }
  // Whoever starts on such a folder takes the server over, and ends it with itself.
  for (const dataDirectory of leftBehind) {
    const product = await Product.start({ dataDirectory });
    await product.stop();
    product.removeData();
  }
}

/** Root starts the database server as another user, who has to pass through. */
export function newDataDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'florin-e2e-'));
  chmodSync(directory, 0o711);
  return directory;
}

/** Starts the product and waits until it ends by itself. */
export async function runToEnd(
  env: Readonly<Record<string, string>>,
): Promise<{ code: number | null; output: string }> {
  const child = await launch(env);
  const output = collectOutput(child);
  await once(child, 'close');
  return { code: child.exitCode, output: output.join('') };
}

/** Runs the command line and gives what it printed for programs. */
export function runCli(args: readonly string[], env: Readonly<Record<string, string>>): unknown {
  const main = join(root, 'apps/cli/dist/main.js');
  const options = { cwd: root, env: { ...inheritedEnv(), ...env }, encoding: 'utf8', stdio: 'pipe' } as const;
  return JSON.parse(execFileSync(process.execPath, [main, ...args], options));
}

/** Clusters share the broker of the run, each with topics of its own. */
async function kafkaEnv(dataDirectory: string | undefined): Promise<Record<string, string>> {
  if (composition !== 'cluster') return {};
  const prefix = dataDirectory === undefined ? 'nobody' : basename(dataDirectory);
  return { KAFKA_BROKERS: await testBroker(), KAFKA_TOPIC_PREFIX: `${prefix}.`, KAFKA_PARTITIONS: '3' };
}

function inheritedEnv(): Record<string, string | undefined> {
  return { PATH: process.env['PATH'], HOME: process.env['HOME'], TMPDIR: process.env['TMPDIR'] };
}

async function launch(env: Readonly<Record<string, string>>): Promise<ChildProcess> {
  const main = join(root, 'apps', composition === 'cluster' ? 'cluster-cli' : 'all-in-one', 'dist/main.js');
  return spawn(process.execPath, [main], {
    cwd: root,
    env: { ...inheritedEnv(), ...(await kafkaEnv(env['FLORIN_DATA_DIR'])), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

function collectOutput(child: ChildProcess): string[] {
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => output.push(text));
  }
  return output;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('No free port');
  return address.port;
}

interface RunningProcess {
  readonly pid: number;
  readonly command: string;
}

/** A process's children, their children, and so on. */
function processesBelow(pid: number): RunningProcess[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' }).trim().split('\n');
  const children = new Map<number, RunningProcess[]>();
  for (const line of lines) {
    const [child = '', parent = '', ...command] = line.trim().split(/\s+/);
    const siblings = children.get(Number(parent)) ?? [];
    children.set(Number(parent), [...siblings, { pid: Number(child), command: command.join(' ') }]);
  }
  const all: RunningProcess[] = [];
  for (const queue = [...(children.get(pid) ?? [])]; queue.length > 0;) {
    const next = queue.shift()!;
    all.push(next);
    queue.push(...(children.get(next.pid) ?? []));
  }
  return all;
}
