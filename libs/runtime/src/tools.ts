/** What tools need that read the event log. It loads no NestJS, so that a command starts in a fraction of the time. */
export * from './config';
export * from './log';
export { archiveDirectory, chooseStores } from './choose-stores';
export * from './log-copy/copy-session';
export * from './log-copy/copy-verification';
export * from './log-copy/open-log-copy';
export * from './open-event-log';
export { acceptOlderLog, readIdentity, requireStore, type StoreIdentity } from './store-identity';
export * from './log-evidence/checkpoint-sink';
export * from './log-evidence/http-address';
export * from './log-evidence/signing-keys';
export type { Series } from './prometheus';
export * from './vault/rotate-vault';
export * from './vault/vault';

/** OpenTelemetry is loaded on demand. */
export const loadPrometheus = () => import('./prometheus');
