import { setTimeout as delay } from 'node:timers/promises';
import { ManagedProcess } from '../process/managed-process';
import type { Program } from './program';
import type { Readiness } from './readiness-probe';

const pollMs = { starting: 200, later: 1_000 } as const;
/** A busy service may miss one probe. */
const failuresUntilUnready = 2;

/** The same flag as in `npm start` and the container image: fewer collections of short-lived objects cost less CPU. */
export const semiSpaceFlag = '--max-semi-space-size=64';

export interface RunListener {
  line(text: string): void;
  changed(run: ProgramRun): void;
}

/** One run of a program, from its start to its exit, with its readiness. */
export class ProgramRun {
  readiness: 'starting' | 'ready' | 'unready' = 'starting';
  reason = 'it has not responded yet';
  private readonly process: ManagedProcess;
  private stopping: Promise<void> | undefined;

  constructor(
    private readonly program: Program,
    readonly port: number,
    private readonly listener: RunListener,
  ) {
    this.process = new ManagedProcess({
      command: process.execPath,
      args: [semiSpaceFlag, program.file, ...program.arguments(port)],
      env: { ...program.env(port) },
      detached: true,
      onLine: (line) => listener.line(line),
    });
    void this.watch();
  }

  get pid(): number | undefined {
    return this.process.pid;
  }

  get exited(): Promise<string> {
    return this.process.exited;
  }

  get recentOutput(): string {
    return this.process.recentOutput;
  }

  /** Lets it finish its work. Kills it and throws when it does not exit in time. */
  stop(): Promise<void> {
    return (this.stopping ??= this.drain());
  }

  kill(): Promise<void> {
    return this.process.kill();
  }

  private async drain(): Promise<void> {
    const { name, stopTimeoutMs } = this.program;
    if (await this.process.stop(stopTimeoutMs)) return;
    throw new Error(`${name} did not stop within ${stopTimeoutMs / 1_000} s and was killed`);
  }

  private async watch(): Promise<void> {
    let failures = 0;
    while (this.process.isRunning) {
      const probed = await this.program.probe(this.port);
      failures = probed.ready ? 0 : failures + 1;
      if (!this.process.isRunning || this.stopping) return;
      this.note(probed, failures);
      const pause = this.readiness === 'starting' ? pollMs.starting : pollMs.later;
      await Promise.race([delay(pause, undefined, { ref: false }), this.process.exited]);
    }
  }

  private note(probed: Readiness, failures: number): void {
    const before = this.readiness;
    if (probed.ready) this.readiness = 'ready';
    else if (before === 'ready' && failures >= failuresUntilUnready) this.readiness = 'unready';
    if (!probed.ready) this.reason = probed.reason;
    if (this.readiness !== before) this.listener.changed(this);
  }
}
