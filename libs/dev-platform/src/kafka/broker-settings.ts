export interface BrokerSettings {
  readonly storage: string;
  readonly port: number;
  /** The port that clients connect to. */
  readonly advertisedPort: number;
  readonly controllerPort: number;
}

/** The `server.properties` of a broker that is also its controller and listens on loopback only. */
export function brokerProperties({ storage, port, advertisedPort, controllerPort }: BrokerSettings): string {
  const settings = {
    'process.roles': 'broker,controller',
    'node.id': 1,
    'controller.quorum.voters': `1@127.0.0.1:${controllerPort}`,
    'controller.listener.names': 'CONTROLLER',
    'inter.broker.listener.name': 'CLIENTS',
    listeners: `CLIENTS://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort}`,
    'advertised.listeners': `CLIENTS://127.0.0.1:${advertisedPort}`,
    'listener.security.protocol.map': 'CLIENTS:PLAINTEXT,CONTROLLER:PLAINTEXT',
    'log.dirs': asPropertyValue(storage),
    ...FOR_ONE_NODE,
    ...FOR_QUICK_RESTARTS,
  };
  return Object.entries(settings)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}

const FOR_ONE_NODE = {
  // Using a topic that was not created is an error, and must fail.
  'auto.create.topics.enable': false,
  'default.replication.factor': 1,
  'offsets.topic.replication.factor': 1,
  'offsets.topic.num.partitions': 4,
  'transaction.state.log.replication.factor': 1,
  'transaction.state.log.min.isr': 1,
  'transaction.state.log.num.partitions': 2,
  'num.network.threads': 2,
  'num.io.threads': 4,
  'background.threads': 2,
  // Every partition allocates two indexes of this size before the first message.
  'log.index.size.max.bytes': 1024 * 1024,
  'log.cleaner.dedupe.buffer.size': 8 * 1024 * 1024,
};

const FOR_QUICK_RESTARTS = {
  'group.initial.rebalance.delay.ms': 0,
  // Allows consumers to use short session timeouts, so that partitions move quickly after a crash.
  'group.min.session.timeout.ms': 1_000,
  // A killed broker can register again only after its previous session has expired, by default after nine seconds.
  // It retries after 0.1 s, 0.3 s, 0.7 s, 1.5 s and 3.1 s, so with this timeout the fourth attempt succeeds.
  'broker.session.timeout.ms': 1_400,
  'broker.heartbeat.interval.ms': 300,
};

/** In a properties file a backslash starts an escape sequence, and log.dirs is a comma-separated list. */
function asPropertyValue(path: string): string {
  if (path.includes(',')) throw new Error(`Kafka cannot store data in ${path}; choose a path without a comma.`);
  return path.replaceAll('\\', '\\\\');
}
