import { type Backoff, exponentialBackoff } from './backoff';
import type { Membership, ShardClaim } from './ports/checkpoint-store.port';
import { pause } from './pause';
import { runShard } from './shard';
import type { SubscriptionOptions, SubscriptionStatus } from './subscription-options';

export interface RunningSubscription {
  readonly name: string;
  status(): SubscriptionStatus;
  /** Resolves after the batch in progress. */
  stop(): Promise<void>;
}

/** Follows the event store from its checkpoint, on the shards assigned to this process, until it is stopped. */
export function runSubscription<Tx>(options: SubscriptionOptions<Tx>): RunningSubscription {
  return new Subscription(options);
}

interface RunningShard {
  readonly epoch: number;
  status: SubscriptionStatus;
  end: () => Promise<void>;
}

class Subscription<Tx> implements RunningSubscription {
  readonly name: string;
  private hasEnded = false;
  /** One stopped shard determines the status of the whole subscription until it is restarted. */
  private stopped: SubscriptionStatus | undefined;
  private balancing: SubscriptionStatus = { state: 'running' };
  private readonly ending = new AbortController();
  private readonly shards = new Map<number, RunningShard>();
  private readonly backoff: Backoff;
  private readonly ended: Promise<void>;

  constructor(private readonly options: SubscriptionOptions<Tx>) {
    this.name = options.name;
    this.backoff = options.backoff ?? exponentialBackoff(100, 2_000);
    this.ended = this.run();
  }

  status(): SubscriptionStatus {
    if (this.stopped !== undefined) return this.stopped;
    if (this.hasEnded) return { state: 'ended' };
    const statuses = [this.balancing, ...[...this.shards.values()].map(({ status }) => status)];
    return statuses.reduce((worst, status) => (failingSince(status) < failingSince(worst) ? status : worst));
  }

  async stop(): Promise<void> {
    this.ending.abort();
    await this.ended;
  }

  /** Keeps the assigned shards running until the signal aborts. */
  private async run(): Promise<void> {
    const { name, shardCount, checkpoints, balanceEveryMs = 1_000 } = this.options;
    let membership: Membership<Tx> | undefined;
    for (let failures = 0; !this.ending.signal.aborted;) {
      try {
        membership ??= await checkpoints.join(name, shardCount);
        await this.balance(membership);
        failures = 0;
        this.balancing = { state: 'running' };
        await pause(balanceEveryMs, this.ending.signal);
      } catch (error) {
        failures += 1;
        this.balancing = retrying(this.balancing, error);
        this.options.log.warn({ subscription: name, err: error }, 'Cannot balance the shards; retrying');
        await this.backoff.wait(failures, this.ending.signal);
      }
    }
    await Promise.all([...this.shards.values()].map((shard) => shard.end()));
    await membership?.leave().catch((error: unknown) => {
      this.options.log.warn(
        { subscription: name, err: error },
        'Could not leave the subscription; its shards become free with the session',
      );
    });
    this.hasEnded = true;
  }

  private async balance(membership: Membership<Tx>): Promise<void> {
    const claims = await membership.balance(async (shard) => {
      await this.shards.get(shard)?.end();
    });
    const held = new Map(claims.map((claim) => [claim.shard, claim]));
    for (const [shard, running] of this.shards) {
      if (held.get(shard)?.epoch !== running.epoch) await running.end();
    }
    for (const claim of claims) {
      if (!this.shards.has(claim.shard)) this.start(membership, claim);
    }
  }

  private start(membership: Membership<Tx>, claim: ShardClaim): void {
    const controller = new AbortController();
    // The first member has fixed the number, regardless of the configuration of this process.
    const { shardCount } = membership;
    const running: RunningShard = { epoch: claim.epoch, status: { state: 'running' }, end: async () => undefined };
    const ended = runShard(
      { ...this.options, shardCount },
      {
        membership,
        claim,
        backoff: this.backoff,
        signal: AbortSignal.any([controller.signal, this.ending.signal]),
        onFailure: (error) => (running.status = retrying(running.status, error)),
        onSuccess: () => (running.status = { state: 'running' }),
        onStopped: (reason) => (this.stopped ??= { state: 'stopped', reason }),
      },
    );
    running.end = async () => {
      controller.abort();
      await ended;
      this.shards.delete(claim.shard);
      this.options.progress.forget(this.options.name, claim.shard);
    };
    this.shards.set(claim.shard, running);
  }
}

function failingSince(status: SubscriptionStatus): number {
  return status.state === 'retrying' ? status.sinceMs : Infinity;
}

function retrying(previous: SubscriptionStatus, error: unknown): SubscriptionStatus {
  const sinceMs = previous.state === 'retrying' ? previous.sinceMs : Date.now();
  return { state: 'retrying', sinceMs, reason: error instanceof Error ? error.message : String(error) };
}
