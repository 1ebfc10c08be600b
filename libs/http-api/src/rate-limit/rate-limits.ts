export interface RateLimits {
  /** Requests per second of one company; 0 turns off every limit of the environment. */
  readonly live: number;
  readonly sandbox: number;
  readonly statementsPerMinute?: number;
}
