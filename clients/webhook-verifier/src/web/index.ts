export { signWebhook } from './sign-webhook';
export { verifyWebhook } from './verify-webhook';
export type { VerifyOptions } from '../verification/verification';
export type { WebhookEvent } from '../verification/webhook-event';
export { WebhookVerificationError, type WebhookVerificationCode } from '../verification/webhook-verification-error';
