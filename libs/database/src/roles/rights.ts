import {
  appendEvents,
  everyService,
  identifyStore,
  keepSnapshots,
  readCheckpoints,
  readEvents,
  subscribe,
  type Right,
  type Rights,
} from './shared-rights';

export type { Right, Rights } from './shared-rights';

/**
 * The rights of every database role, derived from the statements of the code that runs with it. `applyRights` makes the
 * database match, and a spec compares the catalog with this file: a table that is missing here fails it.
 *
 * Where several services write a table, `ownRows` in own-rows.ts says which rows are whose.
 *
 * Only the owner migrates. No role may change or delete an event, or empty a table; `archiver` calls functions that delete archived ones.
 */
export const serviceRoles = [
  'gateway',
  'ledger',
  'operations',
  'invoicing',
  'tron-watcher',
  'webhook-dispatcher',
  'projector',
] as const;

export type ServiceRole = (typeof serviceRoles)[number];

/**
 * `all-in-one` is every service in one process; `auditor` only reads, for `florin verify` and `florin audit`; `archiver`
 * is for `florin archive`, and `vault` for `florin vault rotate`.
 */
export type DatabaseRole = ServiceRole | 'all-in-one' | 'auditor' | 'archiver' | 'vault';

/** The name of a role in the database. Members of the role have its rights. */
export function roleName(role: DatabaseRole): string {
  return `florin_${role.replaceAll('-', '_')}`;
}

const readModelTables = [
  'read_models.accepted_requests',
  'read_models.account_entries',
  'read_models.adjustments',
  'read_models.api_key_secrets',
  'read_models.api_keys',
  'read_models.approvals',
  'read_models.cards',
  'read_models.companies',
  'read_models.deposits',
  'read_models.holders',
  'read_models.invoices',
  'read_models.operations',
  'read_models.operators',
  'read_models.products',
  'read_models.transactions',
];

const onReadModels = (...rights: readonly Right[]): Rights =>
  Object.fromEntries(readModelTables.map((table) => [table, rights]));

const ofServices: Readonly<Record<ServiceRole, Rights>> = {
  gateway: {
    ...everyService,
    ...identifyStore,
    ...readEvents,
    ...readCheckpoints,
    ...onReadModels('SELECT'),
    // Rejects API keys and operators whose newest events could not be read.
    'event_store.set_aside_streams': ['SELECT'],
    'event_store.log_checkpoints': ['SELECT'],
    'gateway.api_key_usage': ['SELECT', 'INSERT', 'UPDATE'],
    'gateway.replicas': ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
    'gateway.reveal_links': ['SELECT', 'INSERT', 'DELETE'],
    'webhooks.attempts': ['SELECT'],
    'webhooks.compact_event_id': ['EXECUTE'],
    'webhooks.compact_event_time': ['EXECUTE'],
    'webhooks.compact_events': ['SELECT'],
    'webhooks.deliveries': ['SELECT'],
    'webhooks.due': ['SELECT'],
    'webhooks.endpoints': ['SELECT'],
    'webhooks.event_body': ['EXECUTE'],
    'webhooks.events': ['SELECT'],
    // Encrypts the data of holders and operators, destroys the keys of holders on erasure, and deletes unconfirmed ones.
    'vault.holder_keys': ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
    // Creates secrets, shows them once, and deletes those of a deleted endpoint.
    'vault.webhook_secrets': ['SELECT', 'INSERT', 'DELETE'],
  },
  ledger: {
    ...everyService,
    ...identifyStore,
    ...appendEvents,
    ...keepSnapshots,
  },
  operations: {
    ...everyService,
    ...identifyStore,
    ...appendEvents,
    ...subscribe,
    ...keepSnapshots,
    'read_models.operations': ['SELECT'],
    // Decrypts the holder's name for the issuer, destroys keys on erasure, and confirms or deletes those of registrations.
    'vault.holder_keys': ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  },
  invoicing: {
    ...everyService,
    ...identifyStore,
    ...appendEvents,
    ...subscribe,
    ...keepSnapshots,
    'read_models.invoices': ['SELECT'],
  },
  'tron-watcher': {
    ...everyService,
    ...identifyStore,
    ...appendEvents,
  },
  'webhook-dispatcher': {
    ...everyService,
    ...identifyStore,
    ...appendEvents,
    ...readCheckpoints,
    ...keepSnapshots,
    'webhooks.attempts': ['SELECT', 'INSERT', 'DELETE'],
    'webhooks.compact_event_id': ['EXECUTE'],
    'webhooks.compact_event_time': ['EXECUTE'],
    'webhooks.compact_events': ['SELECT', 'DELETE'],
    'webhooks.deliveries': ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
    'webhooks.due': ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
    'webhooks.endpoint_claims': ['SELECT', 'INSERT', 'UPDATE'],
    'webhooks.endpoint_health': ['SELECT', 'INSERT', 'UPDATE'],
    'webhooks.endpoints': ['SELECT'],
    'webhooks.event_body': ['EXECUTE'],
    // Purges old events and keeps their objects.
    'webhooks.events': ['SELECT', 'DELETE'],
    'webhooks.objects': ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
    'webhooks.sent_up_to': ['SELECT'],
    // Sends missed events again.
    'webhooks.recoveries': ['SELECT', 'UPDATE', 'DELETE'],
    // Signs deliveries, and deletes the secrets of a deleted endpoint.
    'vault.webhook_secrets': ['SELECT', 'DELETE'],
  },
  projector: {
    ...everyService,
    ...identifyStore,
    ...readEvents,
    ...subscribe,
    // Signs the log.
    'event_store.log_checkpoints': ['SELECT', 'INSERT'],
    ...onReadModels('SELECT', 'INSERT', 'UPDATE'),
    // Entries and accepted requests never change.
    'read_models.account_entries': ['INSERT'],
    'read_models.accepted_requests': ['SELECT', 'INSERT'],
    // Also runs `florin replay`. The functions create, switch and drop tables with the rights of the owner.
    'replay.progress': ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
    'replay.analyze_tables': ['EXECUTE'],
    'replay.create_tables': ['EXECUTE'],
    'replay.drop_tables': ['EXECUTE'],
    'replay.has_tables': ['EXECUTE'],
    'replay.index_tables': ['EXECUTE'],
    'replay.switch_tables': ['EXECUTE'],
    'webhooks.attempts': ['SELECT', 'UPDATE'],
    'webhooks.compact_events': ['SELECT', 'INSERT'],
    'webhooks.deliveries': ['SELECT', 'INSERT', 'UPDATE'],
    'webhooks.due': ['SELECT', 'INSERT', 'DELETE'],
    'webhooks.endpoint_health': ['SELECT', 'UPDATE'],
    'webhooks.endpoints': ['SELECT', 'INSERT', 'UPDATE'],
    'webhooks.event_body': ['EXECUTE'],
    'webhooks.events': ['SELECT', 'INSERT', 'UPDATE'],
    'webhooks.objects': ['SELECT', 'UPDATE'],
    'webhooks.recoveries': ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
    'webhooks.sent_up_to': ['SELECT', 'UPDATE'],
    // Decrypts the data of holders and operators for the read models.
    'vault.holder_keys': ['SELECT'],
  },
};

export const rightsOf: Readonly<Record<DatabaseRole, Rights>> = {
  ...ofServices,
  'all-in-one': union(Object.values(ofServices)),
  auditor: {
    ...everyService,
    'event_store.store_identity': ['SELECT'],
    ...readEvents,
    ...readCheckpoints,
    'event_store.set_aside_streams': ['SELECT'],
    'event_store.log_checkpoints': ['SELECT'],
    'event_store.snapshots': ['SELECT'],
    // Compares every row with the log. The keys of the vault are not needed for it.
    ...onReadModels('SELECT'),
  },
  archiver: {
    ...everyService,
    'event_store.store_identity': ['SELECT'],
    ...readEvents,
    ...readCheckpoints,
    'event_store.log_checkpoints': ['SELECT'],
    // With the rights of the owner. They delete only events that a recorded archive file has.
    'event_store.archivable_to': ['EXECUTE'],
    'event_store.delete_archived': ['EXECUTE'],
    'event_store.finish_archive': ['EXECUTE'],
    'event_store.record_archive': ['EXECUTE'],
  },
  vault: {
    ...everyService,
    'vault.holder_keys': ['SELECT', 'UPDATE'],
    'vault.webhook_secrets': ['SELECT', 'UPDATE'],
  },
};

export const databaseRoles = Object.keys(rightsOf) as readonly DatabaseRole[];

export function isDatabaseRole(name: string): name is DatabaseRole {
  return Object.hasOwn(rightsOf, name);
}

function union(all: readonly Rights[]): Rights {
  const merged: Record<string, readonly Right[]> = {};
  for (const rights of all) {
    for (const [object, added] of Object.entries(rights)) {
      merged[object] = [...new Set([...(merged[object] ?? []), ...added])];
    }
  }
  return merged;
}
