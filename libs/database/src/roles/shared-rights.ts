export type Right = 'SELECT' | 'INSERT' | 'UPDATE' | 'DELETE' | 'EXECUTE';

/** Rights by table or function. The rights to enter their schemas follow from them. */
export type Rights = Readonly<Record<string, readonly Right[]>>;

export const everyService: Rights = {
  // Whether the schema is the one that this release needs.
  'public._prisma_migrations': ['SELECT'],
};

/** Rejects an event store that the database does not belong to, and records a new one. */
export const identifyStore: Rights = {
  'event_store.store_identity': ['SELECT', 'INSERT', 'UPDATE'],
  // The log must not end before what was read from it.
  'event_store.subscription_shards': ['SELECT'],
};

export const readEvents: Rights = {
  'event_store.archive_files': ['SELECT'],
  'event_store.archived_streams': ['SELECT'],
  'event_store.events': ['SELECT'],
};

export const appendEvents: Rights = {
  ...readEvents,
  'event_store.events': ['SELECT', 'INSERT'],
  'event_store.append_events': ['EXECUTE'],
  // For services of the previous release until they are stopped.
  'event_store.append': ['EXECUTE'],
};

export const readCheckpoints: Rights = {
  'event_store.subscription_shards': ['SELECT'],
};

export const subscribe: Rights = {
  'event_store.subscriptions': ['SELECT', 'INSERT'],
  'event_store.subscription_shards': ['SELECT', 'INSERT', 'UPDATE'],
  'event_store.move_checkpoint': ['EXECUTE'],
  'event_store.set_aside_streams': ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
};

export const keepSnapshots: Rights = {
  'event_store.snapshots': ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
};
