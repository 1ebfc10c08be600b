import { setTimeout as delay } from 'node:timers/promises';
import { freePort, loopback, releasePort } from '../network/free-port';
import type { ProcessRecord } from './process-record';
import type { Program } from './program';
import { ProgramRun } from './program-run';

/** `crashed` means that it exited unexpectedly and will be restarted. */
export type ServiceState = 'starting' | 'ready' | 'unready' | 'stopping' | 'stopped' | 'crashed';

export interface ServiceListener {
  readonly onLine: (service: string, line: string) => void;
  readonly onState: (service: string, state: ServiceState) => void;
}

const backoffMs = { min: 200, max: 10_000 } as const;

/** One replica of a service: a process that is restarted whenever it exits unexpectedly. */
export class ServiceProcess {
  state: ServiceState = 'stopped';
  private current: ProgramRun | undefined;
  private readonly runs = new Set<ProgramRun>();
  private readonly waiting = new Set<() => void>();
  private isWanted = false;
  private hasBeenReady = false;
  private failures = 0;
  private failure: Error | undefined;

  constructor(
    private readonly program: Program,
    private readonly listener: ServiceListener,
    private readonly record?: ProcessRecord,
  ) {}

  get name(): string {
    return this.program.name;
  }

  get service(): string {
    return this.program.service;
  }

  get pid(): number | undefined {
    return this.current?.pid;
  }

  get port(): number | undefined {
    return this.current?.port;
  }

  get url(): string {
    return `http://${loopback}:${this.port ?? 0}`;
  }

  /** Why it is not ready, as far as it is known. */
  get reason(): string {
    return this.current?.reason ?? this.state;
  }

  /** Resolves when it is ready. */
  async start(): Promise<void> {
    if (!this.isWanted) {
      this.isWanted = true;
      this.failure = undefined;
      await this.launch();
    }
    await this.waitUntilReady();
  }

  /** Lets it finish its work. It stays stopped until `start`. */
  async stop(): Promise<void> {
    this.isWanted = false;
    if (this.runs.size > 0) this.enter('stopping');
    await Promise.all([...this.runs].map((run) => run.stop()));
    this.enter('stopped');
  }

  /** Kills it. It restarts, unless it has been stopped. */
  async kill(): Promise<void> {
    await Promise.all([...this.runs].map((run) => run.kill()));
  }

  /** Starts a new process, and stops the old one when the new one is ready. */
  async replace(): Promise<void> {
    const successor = await this.spawn();
    if (!successor) throw new Error(`${this.name} cannot be replaced while it is stopped`);
    const exited = successor.exited.then((how) => {
      throw new Error(`The new ${this.name} exited with ${how} before it was ready:\n${successor.recentOutput}`);
    });
    await Promise.race([exited, this.until(() => successor.readiness === 'ready')]);
    const old = this.current;
    this.current = successor;
    this.follow(successor);
    await old?.stop();
  }

  private async launch(): Promise<void> {
    this.current = undefined;
    this.enter('starting');
    const run = await this.spawn();
    // `replace` may have started another process in the meantime.
    if (run && this.current) return run.kill();
    this.current = run;
  }

  /** Starts nothing after a stop, even when the stop came while a port was searched. */
  private async spawn(): Promise<ProgramRun | undefined> {
    const port = this.program.port ?? (await freePort());
    if (!this.isWanted) return undefined;
    const run = new ProgramRun(this.program, port, {
      line: (line) => this.listener.onLine(this.name, line),
      changed: (changed) => this.follow(changed),
    });
    this.runs.add(run);
    this.record?.add(this.name, run.pid);
    void run.exited.then((how) => this.handleExit(run, how));
    return run;
  }

  private follow(run: ProgramRun): void {
    if (run === this.current && this.isWanted && run.readiness !== 'starting') {
      this.enter(run.readiness);
      if (run.readiness === 'ready') [this.failures, this.hasBeenReady] = [0, true];
    }
    this.wake();
  }

  private async handleExit(run: ProgramRun, how: string): Promise<void> {
    this.runs.delete(run);
    this.record?.remove(run.pid);
    if (this.program.port === undefined) releasePort(run.port);
    if (run !== this.current || !this.isWanted) return;
    this.failures += 1;
    // A service waits for its backing services. If it exits by itself before it was ready, a restart does not help.
    if (!this.hasBeenReady && !isSignal(how)) return this.fail(run, how);
    this.enter('crashed');
    await delay(Math.min(backoffMs.max, backoffMs.min * 2 ** (this.failures - 1)), undefined, { ref: false });
    if (this.isWanted && this.current === run) await this.launch();
  }

  private fail(run: ProgramRun, how: string): void {
    this.isWanted = false;
    this.failure = new Error(`${this.name} exited with ${how} before it was ready. Its output:\n${run.recentOutput}`);
    this.enter('stopped');
  }

  private async waitUntilReady(): Promise<void> {
    await this.until(() => this.state === 'ready' || !this.isWanted);
    if (this.state !== 'ready') throw this.failure ?? new Error(`${this.name} was stopped before it was ready`);
  }

  private async until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise<void>((resolve) => this.waiting.add(resolve));
  }

  private enter(state: ServiceState): void {
    if (state === this.state) return;
    this.state = state;
    this.listener.onState(this.name, state);
    this.wake();
  }

  private wake(): void {
    const waiting = [...this.waiting];
    this.waiting.clear();
    for (const resolve of waiting) resolve();
  }
}

/** Whether the process was killed, such as by a test or for lack of memory. */
function isSignal(how: string): boolean {
  return how.startsWith('SIG');
}
