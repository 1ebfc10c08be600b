import { setTimeout as delay } from 'node:timers/promises';
import { freePort, loopback, releasePort } from './free-port';
import type { ProcessRecord } from './process-record';
import type { Program } from './program';
import { ProgramRun } from './program-run';

/** `crashed` is one that ended unasked and will be started anew. */
export type ServiceState = 'starting' | 'ready' | 'unready' | 'stopping' | 'stopped' | 'crashed';

export interface ServiceListener {
  readonly onLine: (service: string, line: string) => void;
  readonly onState: (service: string, state: ServiceState) => void;
}

const backoffMs = { first: 200, longest: 10_000 } as const;
/** So often may one that was never ready end before it is given up. */
const attempts = 3;

/** One copy of a service: a process that is started anew whenever it ends unasked. */
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
    private readonly record: ProcessRecord,
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

  /** Why it is not ready, as far as it told. */
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
    await this.untilReady();
  }

  /** Lets it end what it has in hand; it stays stopped until `start`. */
  async stop(): Promise<void> {
    this.isWanted = false;
    if (this.runs.size > 0) this.enter('stopping');
    await Promise.all([...this.runs].map((run) => run.stop()));
    this.enter('stopped');
  }

  /** Ends it at once; it comes back by itself, unless it has been stopped. */
  async kill(): Promise<void> {
    await Promise.all([...this.runs].map((run) => run.kill()));
  }

  /** Puts a new process in the place of the old one, which goes only when the new one is ready. */
  async replace(): Promise<void> {
    const successor = await this.spawn();
    if (!successor) throw new Error(`${this.name} cannot be replaced while it is stopped`);
    const ended = successor.ended.then((how) => {
      throw new Error(`The new ${this.name} ended with ${how} before it was ready:\n${successor.lastWords}`);
    });
    await Promise.race([ended, this.until(() => successor.readiness === 'ready')]);
    const old = this.current;
    this.current = successor;
    this.follow(successor);
    await old?.stop();
  }

  private async launch(): Promise<void> {
    this.current = undefined;
    this.enter('starting');
    const run = await this.spawn();
    // A successor may have taken the place meanwhile.
    if (run && this.current) return run.kill();
    this.current = run;
  }

  /** Only what is wanted begins to run: a stop in between must leave nothing behind. */
  private async spawn(): Promise<ProgramRun | undefined> {
    const port = this.program.port ?? (await freePort());
    if (!this.isWanted) return undefined;
    const run = new ProgramRun(this.program, port, {
      line: (line) => this.listener.onLine(this.name, line),
      changed: (changed) => this.follow(changed),
    });
    this.runs.add(run);
    this.record.add(this.name, run.pid);
    void run.ended.then((how) => this.bury(run, how));
    return run;
  }

  private follow(run: ProgramRun): void {
    if (run === this.current && this.isWanted && run.readiness !== 'starting') {
      this.enter(run.readiness);
      if (run.readiness === 'ready') [this.failures, this.hasBeenReady] = [0, true];
    }
    this.wake();
  }

  private async bury(run: ProgramRun, how: string): Promise<void> {
    this.runs.delete(run);
    this.record.remove(run.pid);
    if (this.program.port === undefined) releasePort(run.port);
    if (run !== this.current || !this.isWanted) return;
    this.failures += 1;
    if (!this.hasBeenReady && (!run.hasAnswered || this.failures >= attempts)) return this.giveUp(run, how);
    this.enter('crashed');
    await delay(Math.min(backoffMs.longest, backoffMs.first * 2 ** (this.failures - 1)), undefined, { ref: false });
    if (this.isWanted && this.current === run) await this.launch();
  }

  private giveUp(run: ProgramRun, how: string): void {
    this.isWanted = false;
    this.failure = new Error(`${this.name} ended with ${how} before it was ready. Its last words:\n${run.lastWords}`);
    this.enter('stopped');
  }

  private async untilReady(): Promise<void> {
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
