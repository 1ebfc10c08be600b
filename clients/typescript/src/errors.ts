import type { ErrorCode } from './api-types';

/** The request that failed, without its body and key. */
export interface FailedRequest {
  readonly method: string;
  readonly path: string;
  /** Send it again with the same body to repeat a POST without a second effect. */
  readonly idempotencyKey?: string;
  readonly attempts: number;
}

/** Every error of the SDK, except those of `webhooks.verify` and the reason of an aborted signal. */
export class FlorinError extends Error {
  override readonly name: string = 'FlorinError';
}

/** A setting of the client is missing or invalid. */
export class ConfigurationError extends FlorinError {
  override readonly name = 'ConfigurationError';
}

/** Florin has rejected the request, or could not process it. The message says what is wrong and what to do. */
export class ApiError<Code extends ErrorCode = ErrorCode> extends FlorinError {
  override readonly name = 'ApiError';

  constructor(
    readonly code: Code,
    message: string,
    readonly status: number,
    readonly request: FailedRequest,
    /** Include it when you contact support. */
    readonly requestId: string | undefined,
    /** How long to wait before the request is repeated. */
    readonly retryAfterSeconds: number | undefined,
  ) {
    super(message);
  }

  /** Whether this is an error of Florin with one of these codes: `ApiError.is(error, 'quote_changed')`. */
  static is<Code extends ErrorCode>(error: unknown, ...codes: readonly Code[]): error is ApiError<Code> {
    return error instanceof ApiError && (codes as readonly ErrorCode[]).includes(error.code);
  }
}

/** There was no response, or only a part of one. It is unknown whether Florin has processed the request. */
export class ConnectionError extends FlorinError {
  override readonly name: string = 'ConnectionError';

  constructor(
    message: string,
    readonly request: FailedRequest,
    options?: { readonly cause: unknown },
  ) {
    super(message, options);
  }
}

/** The response did not arrive in time. */
export class TimeoutError extends ConnectionError {
  override readonly name = 'TimeoutError';
}

/** `waitFor` has ended before the object reached a final state. */
export class WaitTimeoutError<Subject = unknown> extends FlorinError {
  override readonly name = 'WaitTimeoutError';

  constructor(
    message: string,
    /** As it was last read. */
    readonly last: Subject,
  ) {
    super(message);
  }
}
