export * from './delivery-queue.port';
export { EndpointDisabler } from './endpoint-disabler';
export * from './recovery-queue.port';
export * from './recovery.task';
export * from './webhook-sender.port';
export * from './webhook.dispatcher';
export * from './webhooks-options';
export * from './webhooks.module';
