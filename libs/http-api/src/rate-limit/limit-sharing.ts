import { randomId } from '@florin/kernel';
import { type GatewayReplica, GatewayReplicas, type SpentTokens } from '@florin/read-models';
import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit, Optional } from '@nestjs/common';
import { HTTP_API_OPTIONS, type HttpApiOptions } from '../http-api-options';
import { RateLimiter } from './rate-limiter';

/** In this time a company can use a share that another gateway has granted already. */
const defaultExchangeEveryMs = 250;
/** A gateway that knows no other one exchanges less often. */
const aloneFactor = 4;

/**
 * Exchanges with the other gateways what each has granted, so that all of them together keep the rate limit. No request waits
 * for it: without an exchange, every gateway grants its equal part.
 */
@Injectable()
export class LimitSharing implements OnModuleInit, OnModuleDestroy {
  private readonly replicaId = randomId();
  /** The last reports of the others. */
  private known: ReadonlyMap<string, SpentTokens> = new Map();
  private timer: NodeJS.Timeout | undefined;
  private started: Promise<void> | undefined;
  private running: Promise<void> = Promise.resolve();
  private stopped = false;
  private isFailing = false;

  constructor(
    private readonly limiter: RateLimiter,
    @Inject(HTTP_API_OPTIONS) private readonly options: Pick<HttpApiOptions, 'rateLimits' | 'log'>,
    @Optional() private readonly replicas?: GatewayReplicas,
  ) {}

  /**
   * The first exchange is complete before the first request, so a new gateway never grants the whole rate. NestJS calls this
   * twice for an application with a microservice.
   */
  async onModuleInit(): Promise<void> {
    if (this.replicas === undefined || !this.limiter.isOn) return;
    this.started ??= this.tick();
    await this.started;
  }

  async onModuleDestroy(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.running;
    if (this.replicas === undefined || !this.limiter.isOn) return;
    // Otherwise the others regard it as ended after some seconds.
    await this.replicas.leave(this.replicaId).catch(() => undefined);
  }

  async exchange(): Promise<void> {
    const others = await this.replicas!.exchange(this.replicaId, this.limiter.spent());
    this.limiter.share(others.length + 1, this.newlySpent(others));
    this.known = new Map(others.map(({ replicaId, spent }) => [replicaId, spent]));
  }

  private async tick(): Promise<void> {
    try {
      await this.exchange();
      this.isFailing = false;
    } catch (error) {
      if (!this.isFailing) {
        const message =
          'Could not share rate limits with the other gateways; each grants its part until a retry succeeds';
        this.options.log.warn({ err: error }, message);
      }
      this.isFailing = true;
    }
    if (this.stopped) return;
    const { exchangeEveryMs = defaultExchangeEveryMs } = this.options.rateLimits;
    const delayMs = this.known.size > 0 ? exchangeEveryMs : exchangeEveryMs * aloneFactor;
    this.timer = setTimeout(() => {
      this.running = this.tick();
    }, delayMs).unref();
  }

  /** The first report of a gateway only sets the start of the count. A smaller total means that the count began again. */
  private newlySpent(others: readonly GatewayReplica[]): SpentTokens {
    const sums: Record<string, number> = {};
    for (const { replicaId, spent } of others) {
      const before = this.known.get(replicaId);
      if (before === undefined) continue;
      for (const [key, total] of Object.entries(spent)) {
        const counted = before[key] ?? 0;
        sums[key] = (sums[key] ?? 0) + (total >= counted ? total - counted : total);
      }
    }
    return sums;
  }
}
