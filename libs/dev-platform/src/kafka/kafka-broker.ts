import { mkdirSync, realpathSync } from 'node:fs';
import { freePort, isPortFree } from '../network/free-port';
import { RestartableServer } from '../process/restartable-server';
import type { RunningServer } from '../process/running-server';
import { findBroker, killBroker } from './find-broker';
import { provideKafka } from './kafka-distribution';
import { startBroker, type BrokerPlan } from './start-broker';

export interface KafkaBrokerOptions {
  /** Keeps the data between starts. */
  readonly dataDirectory: string;
  /** The port on loopback; 0 or absent: a free port, which `restart()` keeps. */
  readonly port?: number;
  /** The port that clients connect to, for a proxy in between. */
  readonly advertisedPort?: number;
  readonly log?: (line: string) => void;
  /** Called when the broker exits unexpectedly; `restart()` is possible then. */
  readonly onExit?: (error: Error) => void;
}

/** An Apache Kafka broker on loopback: one node that is also its controller. */
export class KafkaBroker extends RestartableServer {
  private constructor(
    private readonly plan: BrokerPlan,
    running: RunningServer,
  ) {
    super(running, () => startProcess(plan));
  }

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

  /** The address for clients. */
  get address(): string {
    return `127.0.0.1:${this.plan.advertisedPort}`;
  }

  /** The port it listens on; clients may use another one. */
  get port(): number {
    return this.plan.port;
  }
}

async function startProcess(plan: BrokerPlan): Promise<RunningServer> {
  const { dataDirectory, port, log } = plan;
  await clearFolder(dataDirectory, log);
  if (!(await isPortFree(port)))
    throw new Error(`Port ${port} is already in use; stop the process that listens there, or choose another port.`);
  return startBroker(plan);
}

/** A broker outlives a killed starter; the next start on the folder replaces it. */
async function clearFolder(dataDirectory: string, log: (line: string) => void): Promise<void> {
  const broker = findBroker(dataDirectory);
  if (!broker) return;
  if (!broker.isOrphaned) {
    throw new Error(
      `A Kafka broker is already running as process ${broker.pid} on the folder ${dataDirectory}, ` +
        `started by process ${broker.starter}; stop that one, or choose another folder.`,
    );
  }
  log(`Killing process ${broker.pid}, a Kafka broker that an earlier run left behind.`);
  await killBroker(broker, dataDirectory);
}
