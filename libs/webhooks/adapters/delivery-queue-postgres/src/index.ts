export * from './postgres-delivery-queue.adapter';
export * from './postgres-recovery-queue.adapter';
export * from './postgres-secret-vault.adapter';
export * from './postgres-webhook-retention.adapter';
