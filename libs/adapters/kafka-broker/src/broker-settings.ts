export interface BrokerSettings {
  readonly storage: string;
  readonly port: number;
  /** What clients are told to connect to. */
  readonly advertisedPort: number;
  readonly controllerPort: number;
}

/** The text of `server.properties` for a broker that is its own controller and is reached on loopback only. */
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
    ...FOR_QUICK_RETURNS,
  };
  return Object.entries(settings)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}

const FOR_ONE_NODE = {
  // A topic that nobody has made is a mistake, and has to look like one.
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
  // Two indexes of every partition are allocated in this size before a message is written.
  'log.index.size.max.bytes': 1024 * 1024,
  'log.cleaner.dedupe.buffer.size': 8 * 1024 * 1024,
};

const FOR_QUICK_RETURNS = {
  'group.initial.rebalance.delay.ms': 0,
  // The shortest time after which a consumer may ask to be taken for dead; its partitions wait that long for a successor.
  'group.min.session.timeout.ms': 1_000,
  // A broker that was killed is let in again only when its former self counts as gone, after nine seconds by default.
  // It asks after 0.1 s, 0.3 s, 0.7 s, 1.5 s and 3.1 s, so this lets the fourth attempt succeed.
  'broker.session.timeout.ms': 1_400,
  'broker.heartbeat.interval.ms': 300,
};

/** In a properties file a backslash begins an escape, and log.dirs is a list. */
function asPropertyValue(path: string): string {
  if (path.includes(',')) throw new Error(`Kafka cannot keep its data in ${path}; choose a path without a comma.`);
  return path.replaceAll('\\', '\\\\');
}
