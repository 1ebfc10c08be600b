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
  'kill-event-store': 'SIGKILL of EventStoreDB, in a cluster of its leader, and a restart on the same data',
  'pause-event-store': 'SIGSTOP of EventStoreDB, in a cluster of its leader, for up to 30 s',
  'fill-event-store': 'EventStoreDB has no space left for a while, in a cluster its leader',
  'cut-event-store': 'breaks every connection to EventStoreDB',
  'refuse-event-store': 'EventStoreDB refuses connections for a while',
  'delay-event-store': 'delays all traffic with EventStoreDB for a while',
  'empty-event-store': 'an empty EventStoreDB at the same address for a while',
  'restore-event-store': 'EventStoreDB with an older copy of its data for a while',
  'pause-follower-event-store': 'SIGSTOP of a follower in the cluster of EventStoreDB, which then is behind',
} as const;

export type FaultKind = keyof typeof faultKinds;

export const allFaultKinds = Object.keys(faultKinds) as readonly FaultKind[];

/** Where the log is: in Postgres, in one EventStoreDB, or in a cluster of three. */
export const eventStores = ['postgres', 'eventstoredb', 'eventstoredb-cluster'] as const;
export type EventStoreName = (typeof eventStores)[number];

/** Of one node with a proxy in front; the nodes of a cluster name each other's addresses to clients. */
const onOneNode: readonly FaultKind[] = [
  ...(['cut-event-store', 'refuse-event-store', 'delay-event-store'] as const),
  ...(['empty-event-store', 'restore-event-store'] as const),
];
const onCluster: readonly FaultKind[] = ['pause-follower-event-store'];

/** The faults that are possible with these backing services. */
export function possibleFaults(hasBroker: boolean, eventStore: EventStoreName): readonly FaultKind[] {
  return allFaultKinds.filter((kind) => {
    if (kind.endsWith('-broker') || kind === 'repeat-commands') return hasBroker;
    if (!kind.endsWith('-event-store')) return true;
    if (onOneNode.includes(kind)) return eventStore === 'eventstoredb';
    return onCluster.includes(kind) ? eventStore === 'eventstoredb-cluster' : eventStore !== 'postgres';
  });
}
