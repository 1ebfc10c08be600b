/** One attempt to send a request. */
export interface Attempt {
  readonly method: string;
  /** The path with its parameters as in the API reference, for example `/api/v1/operations/{id}`. */
  readonly route: string;
  readonly url: string;
  /** From 1. */
  readonly number: number;
  readonly idempotencyKey?: string;
  /** A hook may add headers, such as `traceparent`. `Authorization` is added later. */
  readonly headers: Headers;
}

export interface AttemptOutcome {
  /** Absent if there was no response. */
  readonly status?: number;
  readonly requestId?: string;
  readonly durationMs: number;
  /** Absent if the attempt has succeeded. */
  readonly error?: unknown;
  /** The pause before the next attempt; absent if there is none. */
  readonly retryInMs?: number;
}

/** An error that a hook throws ends the call. */
export interface Hooks {
  readonly onRequest?: (attempt: Attempt) => void | Promise<void>;
  readonly onResponse?: (attempt: Attempt, outcome: AttemptOutcome) => void | Promise<void>;
}
