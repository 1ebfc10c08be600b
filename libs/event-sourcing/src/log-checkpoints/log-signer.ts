import type { Clock } from '@florin/kernel';
import { type Membership, type ShardClaim, ShardLost } from '../ports/checkpoint-store.port';
import type { RecordedEvent } from '../ports/event-store.port';
import type { LogCheckpointStore } from '../ports/log-checkpoint-store.port';
import { runSubscription, type RunningSubscription } from '../subscription';
import type { SubscriptionRuntime } from '../subscription-options';
import { checkpointDigest, type LogCheckpoint } from './log-checkpoint';
import { LogDigest } from './log-digest';
import type { LogPublicKeys, LogSigningKey } from './log-keys';

export interface LogSignerOptions<Tx> extends SubscriptionRuntime<Tx> {
  readonly checkpointLog: LogCheckpointStore<Tx>;
  readonly key: LogSigningKey;
  /** Earlier keys, whose checkpoints this signer continues after a rotation. */
  readonly earlierKeys: LogPublicKeys;
  /** Which event store has the log. */
  readonly storeName: string;
  readonly clock: Clock;
  readonly maxEvents?: number;
  readonly maxAgeMs?: number;
}

export const logSignerName = 'log-checkpoints';

/**
 * Follows the whole log and signs a checkpoint every 1,000 events or 10 s. Of several replicas, the owner of the only
 * shard signs. A checkpoint is stored together with the position of the subscription, so a new owner continues exactly
 * there.
 */
export function runLogSigner<Tx>(options: LogSignerOptions<Tx>): RunningSubscription {
  const signer = new LogSigner(options);
  const subscription = runSubscription({
    ...options,
    name: logSignerName,
    shardCount: 1,
    pageSize: options.maxEvents ?? defaults.maxEvents,
    work: ({ membership, claim, events }) => signer.add(membership, claim, events),
  });
  const timer = setInterval(() => void signer.signIfDue(), (options.maxAgeMs ?? defaults.maxAgeMs) / 10);
  timer.unref();
  return {
    name: subscription.name,
    status: () => subscription.status(),
    stop: async () => {
      clearInterval(timer);
      await signer.signRest();
      await subscription.stop();
    },
  };
}

const defaults = { maxEvents: 1_000, maxAgeMs: 10_000 };

/** The state of one ownership of the shard. */
interface Tenure<Tx> {
  readonly membership: Membership<Tx>;
  readonly claim: ShardClaim;
  readonly digest: LogDigest;
  last: LogCheckpoint | undefined;
  /** When the oldest event arrived that no checkpoint covers. */
  unsignedSince: number | undefined;
  /** Signed, but not known to be stored. Repeated unchanged, because the first attempt may have been committed. */
  pending: LogCheckpoint | undefined;
}

class LogSigner<Tx> {
  private tenure: Tenure<Tx> | undefined;
  /** Events and the timer must not sign at the same time. */
  private running: Promise<unknown> = Promise.resolve();

  constructor(private readonly options: LogSignerOptions<Tx>) {}

  /** May be called again with the same events after a failure. */
  add(membership: Membership<Tx>, claim: ShardClaim, events: readonly RecordedEvent[]): Promise<void> {
    return this.exclusively(async () => {
      if (this.tenure?.claim.epoch !== claim.epoch) this.tenure = await this.resume(membership, claim);
      const { tenure } = this;
      for (const event of events) {
        if (event.position <= tenure.digest.position) continue;
        if (tenure.pending !== undefined || this.unsigned(tenure) >= this.maxEvents) await this.sign(tenure);
        tenure.digest.add(event);
        tenure.unsignedSince ??= this.now();
      }
      if (this.unsigned(tenure) >= this.maxEvents || this.isDue(tenure)) await this.sign(tenure);
    });
  }

  async signIfDue(): Promise<void> {
    await this.attempt((tenure) => this.isDue(tenure));
  }

  /** Covers the last events before a shutdown, so that a stopped log can be verified completely. */
  async signRest(): Promise<void> {
    await this.attempt((tenure) => this.unsigned(tenure) > 0);
  }

  /** A failure is only logged: the checkpoint is signed again with the next events, or by the next owner. */
  private async attempt(isWanted: (tenure: Tenure<Tx>) => boolean): Promise<void> {
    await this.exclusively(async () => {
      const { tenure } = this;
      if (tenure === undefined || !isWanted(tenure)) return;
      try {
        await this.sign(tenure);
      } catch (error) {
        if (error instanceof ShardLost) this.tenure = undefined;
        else {
          const level = this.options.isTransient(error) ? 'warn' : 'error';
          this.options.log[level]({ err: error }, 'A log checkpoint could not be stored; retrying');
        }
      }
    });
  }

  /** Continues after the last checkpoint, which must have a valid signature: nothing may be built on a forged one. */
  private async resume(membership: Membership<Tx>, claim: ShardClaim): Promise<Tenure<Tx>> {
    const last = await this.options.checkpointLog.newest();
    if (last !== undefined) this.requireValid(last);
    const digest = new LogDigest(last);
    const tenure: Tenure<Tx> = { membership, claim, digest, last, unsignedSince: undefined, pending: undefined };
    await this.readTo(claim.position, tenure);
    return tenure;
  }

  private requireValid(checkpoint: LogCheckpoint): void {
    const { key, earlierKeys } = this.options;
    const { number, keyId } = checkpoint;
    const publicKey = earlierKeys.with([key.publicKey]).get(keyId);
    if (publicKey === undefined) {
      throw new Error(
        `log checkpoint ${number} is signed with the unknown key ${keyId}; add its public key to LOG_PUBLIC_KEYS`,
      );
    }
    if (!publicKey.verifies(checkpoint)) {
      throw new Error(`log checkpoint ${number} has a wrong signature; run florin verify --checkpoints`);
    }
  }

  /**
   * Reads the events between the last checkpoint and the position of the subscription. There are some only if checkpoints
   * were removed or restored without that position.
   */
  private async readTo(position: bigint, tenure: Tenure<Tx>): Promise<void> {
    const { digest } = tenure;
    for (let after = digest.position; after < position;) {
      const page = await this.options.store.readAll({ after, pageSize: this.maxEvents });
      for (const event of page.events) {
        if (event.position > position) return;
        digest.add(event);
        tenure.unsignedSince ??= this.now();
      }
      if (page.readTo <= after) return;
      after = page.readTo;
    }
  }

  private async sign(tenure: Tenure<Tx>): Promise<void> {
    const { membership, claim, digest, last } = tenure;
    // The subscription is already at this position: only a later one is stored together with its checkpoint.
    if (digest.position <= claim.position) return;
    tenure.pending ??= this.options.key.sign({
      ...digest.state,
      number: (last?.number ?? 0) + 1,
      time: this.timeAfter(last),
      store: this.options.storeName,
      previous: last === undefined ? '' : checkpointDigest(last),
    });
    const { pending } = tenure;
    await membership.advance(claim, pending.position, (tx) => this.options.checkpointLog.append(tx, pending));
    await this.requireStored(pending);
    tenure.last = pending;
    tenure.pending = undefined;
    tenure.unsignedSince = undefined;
  }

  /**
   * `advance` stores nothing if the subscription is already at this position or after it. That is a lost confirmation, or
   * another client moved the position, and then no more checkpoints would be stored.
   */
  private async requireStored({ number, position, signature }: LogCheckpoint): Promise<void> {
    const newest = await this.options.checkpointLog.newest();
    if (newest?.number === number && newest.signature === signature) return;
    throw new Error(
      `log checkpoint ${number} up to position ${position} was not stored: the position of the subscription ` +
        `${logSignerName} was changed. Find out who changed it, and delete its row in event_store.subscription_shards`,
    );
  }

  /** Never before the previous checkpoint, even if the clocks of two replicas differ. */
  private timeAfter(last: LogCheckpoint | undefined): string {
    const now = this.options.clock.now().toISOString();
    return last !== undefined && last.time > now ? last.time : now;
  }

  private unsigned({ digest, last }: Tenure<Tx>): number {
    return digest.count - (last?.count ?? 0);
  }

  private isDue({ unsignedSince }: Tenure<Tx>): boolean {
    return unsignedSince !== undefined && this.now() - unsignedSince >= (this.options.maxAgeMs ?? defaults.maxAgeMs);
  }

  private get maxEvents(): number {
    return this.options.maxEvents ?? defaults.maxEvents;
  }

  private now(): number {
    return this.options.clock.now().getTime();
  }

  private exclusively<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.running.then(work);
    this.running = result.catch(() => undefined);
    return result;
  }
}
