import {
  fullBucket,
  type RatePolicy,
  refill,
  secondsUntilFull,
  secondsUntilToken,
  take,
  type TokenBucket,
} from './token-bucket';

export interface SharedPolicy extends RatePolicy {
  /** The tokens that work may cost beyond those in the bucket. */
  readonly maxDebt: number;
}

/** Below this part of its share, what a gateway grants concerns the others. */
const quietPart = 0.75;

/**
 * The tokens of one company, as far as this gateway knows. It may take a token if the company has one, and if its own share
 * of the rate is not used up. The share is the equal part of every gateway; a report of the others can enlarge it.
 */
export class SharedBucket {
  /** What the company may still use on all gateways. */
  private readonly all: TokenBucket;
  /** What this gateway may grant until it hears from the others. */
  private readonly own: TokenBucket;

  constructor(
    readonly policy: SharedPolicy,
    replicas: number,
    now: number,
  ) {
    this.all = fullBucket(policy, now);
    this.own = fullBucket(shareOf(policy, replicas), now);
  }

  take(replicas: number, now: number): boolean {
    refill(this.own, shareOf(this.policy, replicas), now);
    if (replicas > 1 && this.own.tokens < 1) return false;
    if (!take(this.all, this.policy, now)) return false;
    this.own.tokens -= 1;
    return true;
  }

  /** Takes further tokens for a request that has taken one, unless the company is in debt by then. It may get into debt by them. */
  takeMore(tokens: number, replicas: number, now: number): boolean {
    refill(this.own, shareOf(this.policy, replicas), now);
    refill(this.all, this.policy, now);
    if (this.all.tokens < 0 || (replicas > 1 && this.own.tokens < 0)) return false;
    this.spend(tokens);
    return true;
  }

  /** Takes tokens for work that is done already. The bucket may get into debt, up to the limit of the policy. */
  spend(tokens: number): void {
    this.spendElsewhere(tokens);
    this.own.tokens = Math.max(this.own.tokens - tokens, -this.policy.maxDebt);
  }

  /** How long it takes until the company has paid for all work. */
  msUntilPaid(now: number): number {
    refill(this.all, this.policy, now);
    return Math.ceil((Math.max(0, -this.all.tokens) * this.policy.windowMs) / this.policy.quota);
  }

  /** Takes tokens that other gateways have granted. */
  spendElsewhere(tokens: number): void {
    this.all.tokens = Math.max(this.all.tokens - tokens, -this.policy.maxDebt);
  }

  /** Divides what is left equally. The sum over all gateways is what the company may use. */
  enlargeShare(replicas: number, now: number): void {
    refill(this.all, this.policy, now);
    refill(this.own, shareOf(this.policy, replicas), now);
    this.own.tokens = Math.max(this.own.tokens, this.all.tokens / replicas);
  }

  /** Whether the company uses so little here that the others need not know. */
  isQuiet(replicas: number): boolean {
    return this.own.tokens >= shareOf(this.policy, replicas).quota * quietPart;
  }

  remaining(replicas: number): number {
    const tokens = replicas === 1 ? this.all.tokens : Math.min(this.all.tokens, this.own.tokens);
    return Math.max(0, Math.floor(tokens));
  }

  secondsUntilFull(): number {
    return secondsUntilFull(this.all, this.policy);
  }

  /** A gateway whose share is used up can get more with the next report. */
  secondsUntilToken(): number {
    return Math.max(1, secondsUntilToken(this.all, this.policy));
  }
}

/** At least one request, even if there are more gateways than requests. */
function shareOf({ quota, windowMs }: RatePolicy, replicas: number): RatePolicy {
  return { quota: Math.max(1, quota / replicas), windowMs };
}
