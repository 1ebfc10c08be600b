/** What a Nest module asks for when it needs a port: the composition decides which adapter it gets. */
export const EVENT_STORE = Symbol('EventStore');
export const SNAPSHOT_STORE = Symbol('SnapshotStore');
export const COMMAND_BUS = Symbol('CommandBus');
export const CLOCK = Symbol('Clock');
export const FRESHNESS = Symbol('ReadYourWrites');
