/** Injection tokens of the ports: the composition decides which adapter a module gets. */
export const EVENT_STORE = Symbol('EventStore');
export const SNAPSHOT_STORE = Symbol('SnapshotStore');
export const LOG_CHECKPOINTS = Symbol('LogCheckpointReader');
export const COMMAND_BUS = Symbol('CommandBus');
export const CLOCK = Symbol('Clock');
export const READ_YOUR_WRITES = Symbol('ReadYourWrites');
