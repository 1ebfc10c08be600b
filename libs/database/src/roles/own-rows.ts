import { type DatabaseRole, type ServiceRole, serviceRoles } from './rights';

/** The rows whose column matches one of the patterns of `LIKE`, or none of them. */
export type OwnRows = { readonly column: string } & (
  | { readonly like: readonly string[]; readonly notLike?: undefined }
  | { readonly like?: undefined; readonly notLike: readonly string[] }
);

/**
 * The rows that a service may insert, change and delete, in tables that several services write: row-level security denies
 * all others. No other service may move the position of a process or of the signer, or replace the state of an account.
 */
export const ownRows: Readonly<Record<string, Partial<Record<ServiceRole, OwnRows>>>> = {
  'event_store.subscriptions': subscriptionsIn('name'),
  'event_store.subscription_shards': subscriptionsIn('subscription'),
  'event_store.set_aside_streams': subscriptionsIn('subscription'),
  'event_store.snapshots': {
    ledger: { column: 'stream', like: ['account-%', 'company-%', 'apikey-%', 'operators-%', 'approval-%'] },
    operations: { column: 'stream', like: ['card-%', 'holders-%', 'product-%'] },
    invoicing: { column: 'stream', like: ['address-%', 'invoices-%'] },
    'webhook-dispatcher': { column: 'stream', like: ['webhooks-%'] },
  },
};

function subscriptionsIn(column: string): Partial<Record<ServiceRole, OwnRows>> {
  return {
    operations: { column, like: ['process operations'] },
    invoicing: { column, like: ['process invoices', 'process settlement'] },
    // The read models, the signer of the log and its sinks.
    projector: { column, notLike: ['process %'] },
  };
}

/** The rows that a role may write in a table of `ownRows`. */
export function rowsOf(role: DatabaseRole, table: string): readonly OwnRows[] {
  const services: readonly string[] = role === 'all-in-one' ? serviceRoles : [role];
  return Object.entries(ownRows[table] ?? {})
    .filter(([service]) => services.includes(service))
    .map(([, rows]) => rows);
}
