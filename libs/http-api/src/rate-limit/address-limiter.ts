import { CLOCK } from '@florin/event-sourcing';
import { type Clock, networkOf } from '@florin/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { ApiError } from '../errors/api-error';
import { HTTP_API_OPTIONS, type HttpApiOptions } from '../http-api-options';
import { fullBucket, type RatePolicy, secondsUntilToken, take, type TokenBucket } from './token-bucket';

/** A client that has opened a page may send as many requests at once as in this time. */
const burstSeconds = 10;
const maxClients = 100_000;

/** Limits the requests to pages that need no key, for each client address in each gateway. */
@Injectable()
export class AddressLimiter {
  private readonly clients = new LRUCache<string, TokenBucket>({ max: maxClients });
  private readonly policy: RatePolicy | undefined;

  constructor(
    @Inject(HTTP_API_OPTIONS) { rateLimits: { pages = 0 } }: Pick<HttpApiOptions, 'rateLimits'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.policy = pages === 0 ? undefined : { quota: pages * burstSeconds, windowMs: burstSeconds * 1_000 };
  }

  /** Counts one request. Throws `rate_limited` if the client has sent too many. */
  count(address: string): void {
    if (this.policy === undefined) return;
    const now = this.clock.now().getTime();
    const network = networkOf(address);
    const bucket = this.clients.get(network) ?? fullBucket(this.policy, now);
    this.clients.set(network, bucket);
    if (take(bucket, this.policy, now)) return;
    const seconds = secondsUntilToken(bucket, this.policy);
    const message = `Too many requests from this network address. Repeat after ${seconds} s.`;
    throw new ApiError('rate_limited', message, { 'retry-after': String(seconds) });
  }
}
