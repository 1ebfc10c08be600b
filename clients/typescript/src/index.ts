export {
  WebhookVerificationError,
  type VerifyOptions,
  type WebhookVerificationCode,
} from '@florin/webhook-verifier/web';
export type { ApiPromise, ApiResponse } from './api-promise';
export type * from './api-types';
export { ApiError, ConfigurationError, ConnectionError, FlorinError, TimeoutError, WaitTimeoutError } from './errors';
export type { FailedRequest } from './errors';
export { Florin } from './florin';
export type { components, paths } from './generated/openapi';
export type { Attempt, AttemptOutcome, Hooks } from './hooks';
export type { List } from './list';
export { environmentOf, type Environment, type FlorinOptions, type RequestOptions } from './options';
export type { WaitOptions } from './wait-until';
export { webhooks } from './webhooks';
