import { mkdirSync, readFileSync, realpathSync } from 'node:fs';
import { freePort, isPortFree } from '../network/free-port';
import { RestartableServer } from '../process/restartable-server';
import type { RunningServer } from '../process/running-server';
import { administrator, type BrokerSecurity } from './broker-security';
import { findBroker, killBroker } from './find-broker';
import { provideKafka } from './kafka-distribution';
import { grantPermissions, type KafkaAdministrator } from './grant-permissions';
import { type BrokerPlan, startBroker, type StartedBroker } from './start-broker';

export interface KafkaBrokerOptions {
  /** Keeps the data between starts. */
  readonly dataDirectory: string;
  /** The port on loopback; 0 or absent: a free port, which `restart()` keeps. */
  readonly port?: number;
  /** The port that clients connect to, for a proxy in between. */
  readonly advertisedPort?: number;
  /**
   * The services that may connect, each with its own password and just the permissions it needs, over TLS. Absent:
   * everybody on this machine may do everything, which suits tests only.
   */
  readonly services?: readonly string[];
  /** Precedes the names of all topics and groups in permissions. */
  readonly topicPrefix?: string;
  readonly log?: (line: string) => void;
  /** Called when the broker exits unexpectedly; `restart()` is possible then. */
  readonly onExit?: (error: Error) => void;
}

/** An Apache Kafka broker on loopback: one node that is also its controller. */
export class KafkaBroker extends RestartableServer {
  private constructor(
    private readonly plan: BrokerPlan,
    running: RunningServer,
    /** Certificate and passwords, if the broker is secured. */
    readonly security: BrokerSecurity | undefined,
  ) {
    super(running, async () => (await startProcess(plan)).process);
  }

  /** Resolves when clients can connect. */
  static async start(options: KafkaBrokerOptions): Promise<KafkaBroker> {
    const { log = () => undefined, onExit = () => undefined, services, topicPrefix = '' } = options;
    const kafka = await provideKafka(log);
    mkdirSync(options.dataDirectory, { recursive: true });
    const dataDirectory = realpathSync(options.dataDirectory);
    const port = options.port || (await freePort());
    const advertisedPort = options.advertisedPort ?? port;
    const plan = { kafka, dataDirectory, port, advertisedPort, services, log, onExit };
    const { process, security } = await startProcess(plan);
    const broker = new KafkaBroker(plan, process, security);
    if (services !== undefined) await grantPermissions(broker.administrator, services, topicPrefix);
    return broker;
  }

  /** The address for clients. */
  get address(): string {
    return `127.0.0.1:${this.plan.advertisedPort}`;
  }

  /** The settings of a client that may do everything. */
  get administrator(): KafkaAdministrator {
    return this.security === undefined ? { brokers: [this.address] } : administratorOf(this.address, this.security);
  }

  /** The variables by which a service connects. */
  connectionOf(service: string): Record<string, string> {
    const password = this.security?.users[service];
    if (this.security === undefined || password === undefined) return {};
    return {
      KAFKA_SSL: 'true',
      KAFKA_CA_FILE: this.security.caFile,
      KAFKA_SASL_MECHANISM: 'scram-sha-512',
      KAFKA_SASL_USERNAME: service,
      KAFKA_SASL_PASSWORD: password,
    };
  }

  /** The port it listens on; clients may use another one. */
  get port(): number {
    return this.plan.port;
  }
}

async function startProcess(plan: BrokerPlan): Promise<StartedBroker> {
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

function administratorOf(address: string, { caFile, users }: BrokerSecurity): KafkaAdministrator {
  return {
    brokers: [address],
    ssl: { ca: readFileSync(caFile, 'utf8') },
    sasl: { mechanism: 'scram-sha-512', username: administrator, password: users[administrator]! },
  };
}
