/** The kinds of faults, as named by `--only`. */
export const faultKinds = {
  'kill-service': 'SIGKILL of one service process; its supervisor restarts it',
  'kill-database': 'SIGKILL of the Postgres server, and a restart on the same data',
  'kill-broker': 'SIGKILL of the Kafka broker, and a restart on the same data',
  'cut-database': 'breaks every connection to Postgres',
  'cut-broker': 'breaks every connection to Kafka',
  'refuse-database': 'Postgres refuses connections for a while',
  'refuse-broker': 'Kafka refuses connections for a while',
  'delay-database': 'delays all traffic with Postgres for a while',
  'delay-broker': 'delays all traffic with Kafka for a while',
  'rolling-restart': 'restarts the replicas of one service one after the other, like a deployment',
  'repeat-commands': 'resends earlier commands, some of them much later',
} as const;

export type FaultKind = keyof typeof faultKinds;

export const allFaultKinds = Object.keys(faultKinds) as readonly FaultKind[];

/** The faults that are possible without a broker. */
export const faultKindsWithoutBroker = allFaultKinds.filter(
  (kind) => !kind.endsWith('-broker') && kind !== 'repeat-commands',
);
