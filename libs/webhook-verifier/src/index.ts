export { signWebhook } from './sign-webhook';
export { verifyWebhook, type VerifyOptions } from './verify-webhook';
export type { WebhookEvent } from './webhook-event';
export { WebhookVerificationError, type WebhookVerificationCode } from './webhook-verification-error';
