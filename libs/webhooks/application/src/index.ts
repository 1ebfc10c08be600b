export * from './delivery-queue.port';
export { EndpointDisabler } from './endpoint-disabler';
export * from './webhook-sender.port';
export * from './webhook.dispatcher';
export * from './webhooks-options';
export * from './webhooks.module';
