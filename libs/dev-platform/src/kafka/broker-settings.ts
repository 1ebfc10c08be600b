import { administrator, brokerPrincipal, type BrokerSecurity } from './broker-security';

export interface BrokerSettings {
  readonly storage: string;
  readonly port: number;
  /** The port that clients connect to. */
  readonly advertisedPort: number;
  /** For the controller, and for connections of the broker to itself. */
  readonly internalPorts: readonly [controller: number, broker: number];
  /** TLS, SASL/SCRAM and permissions. Without it, everybody who can connect may do everything. */
  readonly security?: BrokerSecurity;
}

/** The `server.properties` of a broker that is also its controller and listens on loopback only. */
export function brokerProperties(broker: BrokerSettings): string {
  const { storage, port, advertisedPort, internalPorts, security } = broker;
  const [controllerPort, brokerPort] = internalPorts;
  const internal = `BROKER://127.0.0.1:${brokerPort}`;
  const settings = {
    'process.roles': 'broker,controller',
    'node.id': 1,
    'controller.quorum.voters': `1@127.0.0.1:${controllerPort}`,
    'controller.listener.names': 'CONTROLLER',
    'inter.broker.listener.name': 'BROKER',
    listeners: `CLIENTS://127.0.0.1:${port},${internal},CONTROLLER://127.0.0.1:${controllerPort}`,
    'advertised.listeners': `CLIENTS://127.0.0.1:${advertisedPort},${internal}`,
    ...(security === undefined ? WITHOUT_SECURITY : securitySettings(security)),
    'log.dirs': asPropertyValue(storage),
    ...FOR_ONE_NODE,
    ...FOR_QUICK_RESTARTS,
  };
  return Object.entries(settings)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}

const WITHOUT_SECURITY = {
  'listener.security.protocol.map': 'CLIENTS:PLAINTEXT,BROKER:PLAINTEXT,CONTROLLER:PLAINTEXT',
};

/** Clients have passwords. The broker connects to itself with its certificate, which no client has. */
function securitySettings({ keystore, caFile, keystorePassword }: BrokerSecurity) {
  return {
    'listener.security.protocol.map': 'CLIENTS:SASL_SSL,BROKER:SSL,CONTROLLER:SSL',
    'sasl.enabled.mechanisms': 'SCRAM-SHA-512',
    'listener.name.clients.scram-sha-512.sasl.jaas.config':
      'org.apache.kafka.common.security.scram.ScramLoginModule required;',
    'listener.name.broker.ssl.client.auth': 'required',
    'listener.name.controller.ssl.client.auth': 'required',
    'ssl.keystore.type': 'PKCS12',
    'ssl.keystore.location': asPropertyValue(keystore),
    'ssl.keystore.password': keystorePassword,
    'ssl.truststore.type': 'PEM',
    'ssl.truststore.location': asPropertyValue(caFile),
    'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
    'super.users': `User:${brokerPrincipal};User:${administrator}`,
    'allow.everyone.if.no.acl.found': false,
  };
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
