import { ManagedProcess } from '../process/managed-process';
import { javaArguments } from './java-command';
import type { KafkaDistribution } from './kafka-installation';

const READY_TIMEOUT_MS = 120_000;
const STOP_TIMEOUT_MS = 20_000;

export interface BrokerCommand {
  readonly kafka: KafkaDistribution;
  readonly dataDirectory: string;
  /** The configuration file; read once, at the start. */
  readonly properties: string;
  /** An argument that identifies the process later. */
  readonly mark: string;
  readonly log: (line: string) => void;
  readonly onExit: (error: Error) => void;
}

/** One run of the broker's JVM. */
export class BrokerProcess {
  private isStopping = false;

  private constructor(private readonly jvm: ManagedProcess) {}

  /** Resolves when clients can connect. */
  static async start({ kafka, dataDirectory, properties, mark, log, onExit }: BrokerCommand): Promise<BrokerProcess> {
    let onStarted: (state: 'started') => void;
    const started = new Promise<'started'>((resolve) => (onStarted = resolve));
    const jvm = new ManagedProcess({
      command: 'java',
      args: [mark, ...javaArguments(kafka), 'kafka.Kafka', properties],
      cwd: dataDirectory,
      detached: true,
      onLine: (line) => {
        log(line);
        if (line.includes('Kafka Server started')) onStarted('started');
      },
    });
    const broker = new BrokerProcess(jvm);
    await broker.waitUntil(started);
    void jvm.exited.then((how) => {
      if (!broker.isStopping) onExit(new Error(`The Kafka broker ${broker.describeExit(how)}`));
    });
    return broker;
  }

  get pid(): number {
    return this.jvm.pid as number;
  }

  get isRunning(): boolean {
    return this.jvm.isRunning;
  }

  /** Resolves when the process has ended. */
  async kill(): Promise<void> {
    this.isStopping = true;
    await this.jvm.kill();
  }

  async stop(): Promise<void> {
    this.isStopping = true;
    await this.jvm.stop(STOP_TIMEOUT_MS);
  }

  private async waitUntil(started: Promise<'started'>): Promise<void> {
    const exited = this.jvm.exitsWithin(READY_TIMEOUT_MS);
    const state = await Promise.race([started, exited]);
    if (state === 'started') return;
    const reason = state
      ? this.describeExit(await this.jvm.exited)
      : `was not ready after ${READY_TIMEOUT_MS / 1_000} s. Its output:\n${this.jvm.recentOutput}`;
    await this.kill();
    throw new Error(`The Kafka broker did not start: it ${reason}`);
  }

  private describeExit(how: string): string {
    return `exited with ${how}. Its output:\n${this.jvm.recentOutput}`;
  }
}
