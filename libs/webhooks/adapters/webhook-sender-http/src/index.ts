export type { ResolveAddresses } from './guarded-connector';
export * from './http-webhook-sender.adapter';
