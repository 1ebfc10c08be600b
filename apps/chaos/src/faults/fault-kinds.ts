/** What can be done to the system, and how much of it: each kind as `--only` names it. */
export const faultKinds = {
  'kill-service': 'SIGKILL of one process of a service; whoever supervises it starts it anew',
  'kill-database': 'SIGKILL of the Postgres server, and a start on the same data a moment later',
  'kill-broker': 'SIGKILL of the Kafka broker, and a start on the same data a moment later',
  'cut-database': 'every connection to Postgres cut at once',
  'cut-broker': 'every connection to Kafka cut at once',
  'refuse-database': 'Postgres takes no connections for a while',
  'refuse-broker': 'Kafka takes no connections for a while',
  'delay-database': 'everything to and from Postgres takes longer for a while',
  'delay-broker': 'everything to and from Kafka takes longer for a while',
  'rolling-restart': 'the replicas of one service stopped and started in turn, as a deployment does',
  'repeat-commands': 'commands that were sent before are sent once more, some of them much later',
} as const;

export type FaultKind = keyof typeof faultKinds;

export const allFaultKinds = Object.keys(faultKinds) as readonly FaultKind[];

/** Without a broker there is nothing to break there. */
export const withoutBroker = allFaultKinds.filter((kind) => !kind.endsWith('-broker') && kind !== 'repeat-commands');
