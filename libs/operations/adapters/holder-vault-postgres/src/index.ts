export * from './postgres-holder-vault.adapter';
