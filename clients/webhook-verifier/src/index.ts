export { signWebhook } from './node/sign-webhook';
export { verifyWebhook } from './node/verify-webhook';
export type { VerifyOptions } from './verification/verification';
export type { WebhookEvent } from './verification/webhook-event';
export { WebhookVerificationError, type WebhookVerificationCode } from './verification/webhook-verification-error';
