import { spawn, type ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { javaArguments } from './java-command';
import type { KafkaDistribution } from './kafka-installation';
import { LastWords } from './last-words';

const READY_TIMEOUT_MS = 120_000;
const SHUTDOWN_TIMEOUT_MS = 20_000;

export interface BrokerCommand {
  readonly kafka: KafkaDistribution;
  readonly dataDirectory: string;
  /** The file it is configured by; read once, at the start. */
  readonly properties: string;
  /** An argument by which the process can be recognised later. */
  readonly mark: string;
  readonly log: (line: string) => void;
  readonly onExit: (error: Error) => void;
}

/** One life of the broker's JVM. */
export class BrokerProcess {
  private readonly words = new LastWords();
  private readonly hasStarted: Promise<'started'>;
  private readonly hasEnded: Promise<'ended'>;
  private isWanted = true;

  private constructor(
    private readonly jvm: ChildProcess,
    log: (line: string) => void,
  ) {
    this.hasEnded = new Promise((resolve) => {
      jvm.once('close', () => resolve('ended'));
      jvm.once('error', () => resolve('ended'));
    });
    this.hasStarted = new Promise((resolve) => {
      const listen = (line: string): void => {
        log(line);
        if (line.includes('Kafka Server started')) resolve('started');
      };
      this.words.hear(jvm.stdout as Readable, listen);
      this.words.hear(jvm.stderr as Readable, listen);
    });
  }

  /** Resolves when clients can connect. */
  static async start({ kafka, dataDirectory, properties, mark, log, onExit }: BrokerCommand): Promise<BrokerProcess> {
    // A process group of its own: Ctrl-C in a terminal signals the whole foreground group, and the broker must outlive
    // that signal until those who use it have finished the work in hand.
    const jvm = spawn('java', [mark, ...javaArguments(kafka), 'kafka.Kafka', properties], {
      cwd: dataDirectory,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const broker = new BrokerProcess(jvm, log);
    await broker.untilReady();
    void broker.hasEnded.then(() => {
      if (broker.isWanted) onExit(new Error(`The Kafka broker ${broker.outcome()}`));
    });
    return broker;
  }

  get pid(): number {
    return this.jvm.pid as number;
  }

  get isRunning(): boolean {
    return this.jvm.exitCode === null && this.jvm.signalCode === null;
  }

  /** Ends the broker as a crash would; resolves when it is gone. */
  async kill(): Promise<void> {
    this.isWanted = false;
    this.jvm.kill('SIGKILL');
    await this.hasEnded;
  }

  /** Lets the broker put its affairs in order, but not for ever. */
  async stop(): Promise<void> {
    this.isWanted = false;
    this.jvm.kill('SIGTERM');
    if ((await within(SHUTDOWN_TIMEOUT_MS, this.hasEnded)) === undefined) await this.kill();
  }

  private async untilReady(): Promise<void> {
    const state = await within(READY_TIMEOUT_MS, Promise.race([this.hasStarted, this.hasEnded]));
    if (state === 'started') return;
    const reason = state === 'ended' ? this.outcome() : `was not ready after two minutes. ${this.words}`;
    await this.kill();
    throw new Error(`The Kafka broker did not start: it ${reason}`);
  }

  private outcome(): string {
    return `ended with ${this.jvm.signalCode ?? `code ${this.jvm.exitCode}`}. ${this.words}`;
  }
}

/** Undefined when it takes longer. */
async function within<T>(milliseconds: number, promise: Promise<T>): Promise<T | undefined> {
  const inTime = new AbortController();
  const tooLate = delay(milliseconds, undefined, { signal: inTime.signal }).catch(() => undefined);
  try {
    return await Promise.race([promise, tooLate]);
  } finally {
    inTime.abort();
  }
}
