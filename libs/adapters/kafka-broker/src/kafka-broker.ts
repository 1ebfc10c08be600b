import { mkdirSync, realpathSync } from 'node:fs';
import { brokerOnFolder, endBroker } from './broker-on-folder';
import type { BrokerProcess } from './broker-process';
import { freePort, isFree } from './free-port';
import { provideKafka } from './kafka-distribution';
import { startBroker, type BrokerPlan } from './start-broker';

export interface KafkaBrokerOptions {
  /** Kept between starts. */
  readonly dataDirectory: string;
  /** Where it listens on loopback; 0 or absent: a free port, which it keeps across `restart()`. */
  readonly port?: number;
  /** What clients are told to connect to, when a proxy stands in between. */
  readonly advertisedPort?: number;
  readonly log?: (line: string) => void;
  /** Told when the broker ends although nobody asked it to; `restart()` is possible then. */
  readonly onExit?: (error: Error) => void;
}

/** A real Apache Kafka broker on loopback: one node that is its own controller. */
export class KafkaBroker {
  private constructor(
    private readonly plan: BrokerPlan,
    private process: BrokerProcess,
  ) {}

  /** Resolves when clients can connect. */
  static async start(options: KafkaBrokerOptions): Promise<KafkaBroker> {
    const { log = () => undefined, onExit = () => undefined } = options;
    const kafka = await provideKafka(log);
    mkdirSync(options.dataDirectory, { recursive: true });
    const dataDirectory = realpathSync(options.dataDirectory);
    const port = options.port || (await freePort());
    const plan = { kafka, dataDirectory, port, advertisedPort: options.advertisedPort ?? port, log, onExit };
    return new KafkaBroker(plan, await startProcess(plan));
  }

  /** What clients are given. */
  get address(): string {
    return `127.0.0.1:${this.plan.advertisedPort}`;
  }

  /** Where it listens, whatever clients are told. */
  get port(): number {
    return this.plan.port;
  }

  /** Of the JVM. */
  get pid(): number {
    return this.process.pid;
  }

  /** Ends it as a crash would; resolves when it is gone. */
  kill(): Promise<void> {
    return this.process.kill();
  }

  stop(): Promise<void> {
    return this.process.stop();
  }

  /** Starts it again after `kill()`, `stop()` or an exit of its own, on the same port and with the same data. */
  async restart(): Promise<void> {
    if (this.process.isRunning) throw new Error('The broker is still running; stop() or kill() it before restart().');
    this.process = await startProcess(this.plan);
  }
}

async function startProcess(plan: BrokerPlan): Promise<BrokerProcess> {
  const { dataDirectory, port, log } = plan;
  await clearFolder(dataDirectory, log);
  if (!(await isFree(port)))
    throw new Error(`Port ${port} is taken; stop whoever listens there, or choose another port.`);
  return startBroker(plan);
}

/** When we were killed, our broker lives on without us; the next one on the folder takes its place. */
async function clearFolder(dataDirectory: string, log: (line: string) => void): Promise<void> {
  const broker = brokerOnFolder(dataDirectory);
  if (!broker) return;
  if (!broker.isLeftBehind) {
    throw new Error(
      `A Kafka broker is already running as process ${broker.pid} on the folder ${dataDirectory}, ` +
        `started by process ${broker.starter}; stop that one, or choose another folder.`,
    );
  }
  log(`Ending the Kafka broker that an earlier run has left behind as process ${broker.pid}.`);
  await endBroker(broker, dataDirectory);
}
