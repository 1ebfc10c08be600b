import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import type { Condition } from './probe';
import type { Program } from './program';
import { linesOf } from './text-lines';

const pollMs = { starting: 200, later: 1_000 } as const;
/** A service that is busy may be late once. */
const failuresUntilUnready = 2;
const wordsKept = 20;

/** How `npm start` and the image run Node, too: collecting less often what requests leave behind costs less. */
export const youngGeneration = '--max-semi-space-size=64';

export interface RunListener {
  line(text: string): void;
  changed(run: ProgramRun): void;
}

/** One run of a program, from its start to its end. */
export class ProgramRun {
  /** Undefined where the system would not make another process. */
  readonly pid: number | undefined;
  /** How it ended, such as `code 1` or `SIGKILL`. */
  readonly ended: Promise<string>;
  readiness: 'starting' | 'ready' | 'unready' = 'starting';
  reason = 'it has not answered yet';
  /** Whether it came so far as to answer anything: what did not will hardly do better the next time. */
  hasAnswered = false;
  private readonly child: ChildProcess;
  private readonly words: string[] = [];
  private isOver = false;
  private stopping: Promise<void> | undefined;

  constructor(
    private readonly program: Program,
    readonly port: number,
    private readonly listener: RunListener,
  ) {
    // A process group of its own: Ctrl-C reaches the whole foreground group, and the order of the end is up to the cluster.
    this.child = spawn(process.execPath, [youngGeneration, program.file, ...program.arguments(port)], {
      env: { ...program.env(port) },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.pid = this.child.pid;
    for (const stream of [this.child.stdout, this.child.stderr]) {
      if (stream) linesOf(stream, (line) => this.hear(line));
    }
    this.ended = endOf(this.child);
    void this.ended.then(() => (this.isOver = true));
    void this.watch();
  }

  /** The last lines it wrote, for error messages. */
  get lastWords(): string {
    return this.words.join('\n') || '(nothing)';
  }

  /** Asks it to end what it has in hand and then itself. One that does not in time is killed, and that is an error. */
  stop(): Promise<void> {
    return (this.stopping ??= this.drain());
  }

  async kill(): Promise<void> {
    if (!this.isOver) this.child.kill('SIGKILL');
    await this.ended;
  }

  private async drain(): Promise<void> {
    if (this.isOver) return;
    this.child.kill('SIGTERM');
    const patience = new AbortController();
    const late = delay(this.program.patienceMs, true, { signal: patience.signal }).catch(() => false);
    const isLate = await Promise.race([this.ended.then(() => false), late]);
    patience.abort();
    if (!isLate) return;
    await this.kill();
    throw new Error(`${this.program.name} did not stop within ${this.program.patienceMs / 1_000} s and was killed`);
  }

  private hear(line: string): void {
    this.words.push(line);
    if (this.words.length > wordsKept) this.words.shift();
    this.listener.line(line);
  }

  private async watch(): Promise<void> {
    let failures = 0;
    while (!this.isOver) {
      const condition = await this.program.probe(this.port);
      failures = condition.ready ? 0 : failures + 1;
      if (this.isOver || this.stopping) return;
      this.note(condition, failures);
      const pause = this.readiness === 'starting' ? pollMs.starting : pollMs.later;
      await Promise.race([delay(pause, undefined, { ref: false }), this.ended]);
    }
  }

  private note(condition: Condition, failures: number): void {
    const before = this.readiness;
    if (condition.ready) this.readiness = 'ready';
    else if (before === 'ready' && failures >= failuresUntilUnready) this.readiness = 'unready';
    if (!condition.ready) this.reason = condition.reason;
    if (condition.ready || !condition.isSilent) this.hasAnswered = true;
    if (this.readiness !== before) this.listener.changed(this);
  }
}

function endOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('close', (code, signal) => resolve(signal ?? `code ${code}`));
    child.once('error', (error) => resolve(error.message));
  });
}
