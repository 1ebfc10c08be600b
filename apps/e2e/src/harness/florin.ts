import { freePort, ManagedProcess, signalProcess } from '@florin/dev-platform';
import { descendantsOf } from '@florin/dev-platform/testing';
import { testBroker } from '@florin/dev-platform/testing';
import { execFileSync, spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { inheritedEnv, kafkaEnv, newDataDirectory, programOf, root, waitUntilReady } from './florin-process';
import { composition, eventStore, RunningFlorin } from './running-florin';
import { sharedFlorinVariable, type SharedFlorinResponse } from './shared-florin-host';

/**
 * How a spec gets its Florin:
 * - `sharedFlorin()` returns the one that the specs of a run share. A spec creates its own companies in it, and reads only
 *   those. It has no rate limits and no issuer or chain; `shared-florin-host.ts` lists its settings.
 * - `Florin.start()` starts one for the spec alone: for other settings, kills, restarts, or a database with known content.
 */
export async function sharedFlorin(): Promise<RunningFlorin> {
  const port = process.env[sharedFlorinVariable];
  if (!port) throw new Error(`${sharedFlorinVariable} is not set; run the specs with Jest from the root folder.`);
  const response = await fetch(`http://127.0.0.1:${port}/${composition}/${eventStore}`);
  const shared = (await response.json()) as SharedFlorinResponse;
  if ('failure' in shared) throw new Error(shared.failure);
  return new RunningFlorin(shared.baseUrl, shared.dataDirectory, () => readFileSync(shared.logFile, 'utf8'));
}

export interface FlorinOptions {
  readonly dataDirectory?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Processes that a failed test has not stopped, and data folders whose database server runs without a Florin. */
const running = new Set<Florin>();
const orphanedServers = new Set<string>();

/** A Florin that belongs to one spec, which may stop, kill and restart it. */
export class Florin extends RunningFlorin {
  private constructor(
    baseUrl: string,
    dataDirectory: string,
    private readonly process: ManagedProcess,
    output: readonly string[],
  ) {
    super(baseUrl, dataDirectory, () => output.join('\n'));
  }

  static async start(options: FlorinOptions = {}): Promise<Florin> {
    const dataDirectory = options.dataDirectory ?? newDataDirectory();
    const port = await freePort();
    const env = { ...options.env, PORT: String(port), FLORIN_DATA_DIR: dataDirectory };
    const { process, output } = await launch(env);
    const florin = new Florin(`http://127.0.0.1:${port}`, dataDirectory, process, output);
    running.add(florin);
    void process.exited.then(() => running.delete(florin));
    orphanedServers.delete(dataDirectory);
    await waitUntilReady(process, florin.baseUrl, () => florin.log);
    return florin;
  }

  /** Sends the signal and returns the exit code. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    this.process.signal(signal);
    await this.process.exited;
    return this.process.exitCode;
  }

  /** Sends SIGKILL to the process and all its descendants, including the database server. */
  async kill(): Promise<void> {
    const pid = this.process.pid!;
    for (const each of [pid, ...descendantsOf(pid).map((descendant) => descendant.pid)]) signalProcess(each, 'SIGKILL');
    await this.process.exited;
  }

  /** Sends SIGKILL to Florin alone, as an out-of-memory killer might: the database server keeps running. */
  async killAlone(): Promise<void> {
    orphanedServers.add(this.dataDirectory);
    const pid = this.process.pid!;
    const services = descendantsOf(pid).filter(({ command }) => command.includes(join(root, 'apps')));
    for (const each of [pid, ...services.map((service) => service.pid)]) signalProcess(each, 'SIGKILL');
    await this.process.exited;
  }

  removeData(): void {
    rmSync(this.dataDirectory, { recursive: true, force: true });
  }
}

/** Stops what a failed test has left running, because Jest would wait for it. */
export async function stopLeftovers(): Promise<void> {
  for (const florin of running) {
    await florin.kill();
    florin.removeData();
  }
  // The next Florin on such a folder adopts the database server and stops it when it stops.
  for (const dataDirectory of orphanedServers) {
    const florin = await Florin.start({ dataDirectory });
    await florin.stop();
    florin.removeData();
  }
}

/** Starts Florin and waits until it exits without being stopped. */
export async function runToEnd(
  env: Readonly<Record<string, string>>,
): Promise<{ code: number | null; output: string }> {
  const { process, output } = await launch(env);
  await process.exited;
  return { code: process.exitCode, output: output.join('\n') };
}

/** Runs the command line and returns the JSON that it prints. */
export function runCli(args: readonly string[], env: Readonly<Record<string, string>>): unknown {
  const main = join(root, 'apps/cli/dist/main.js');
  const options = { cwd: root, env: { ...inheritedEnv(), ...env }, encoding: 'utf8', stdio: 'pipe' } as const;
  return JSON.parse(execFileSync(process.execPath, [main, ...args], options));
}

export interface CliResult {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs the command line while the test goes on. Sends the signal once `interruption` resolves. */
export function runCliBeside(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  interruption?: Promise<unknown>,
  signal: NodeJS.Signals = 'SIGINT',
): Promise<CliResult> {
  const main = join(root, 'apps/cli/dist/main.js');
  const child = spawn(process.execPath, [main, ...args], { cwd: root, env: { ...inheritedEnv(), ...env } });
  let [out, err] = ['', ''];
  child.stdout.on('data', (text) => (out += String(text)));
  child.stderr.on('data', (text) => (err += String(text)));
  void interruption?.then(() => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, out, err }));
  });
}

async function launch(
  variables: Readonly<Record<string, string>>,
): Promise<{ readonly process: ManagedProcess; readonly output: readonly string[] }> {
  const kafka = composition === 'cluster' ? kafkaEnv(await testBroker(), variables['FLORIN_DATA_DIR']) : {};
  const output: string[] = [];
  const program = programOf(composition, { EVENT_STORE: eventStore, ...kafka, ...variables });
  const florin = new ManagedProcess({ ...program, onLine: (line) => output.push(line) });
  return { process: florin, output };
}
