import { setTimeout as delay } from 'node:timers/promises';
import type { Backoff } from './backoff';
import { type Membership, type ShardClaim, ShardLost } from './ports/checkpoint-store.port';
import { type EventPage, type Position, PositionBeyondLog, type RecordedEvent } from './ports/event-store.port';
import { shardOf } from './shard-of';
import type { SubscriptionOptions, SubscriptionStatus } from './subscription-options';

export interface ShardRun<Tx> {
  readonly membership: Membership<Tx>;
  readonly claim: ShardClaim;
  readonly backoff: Backoff;
  readonly signal: AbortSignal;
  readonly onStatus: (status: SubscriptionStatus) => void;
}

/** How long the checkpoint of pages without matching events may be delayed, which saves writes. */
const emptyPageCheckpointMs = 100;

/** Processes one shard until it is aborted, lost to another replica, or stopped by a poison event. */
export function runShard<Tx>(options: SubscriptionOptions<Tx>, run: ShardRun<Tx>): Promise<void> {
  return new Shard(options, run).run();
}

class Shard<Tx> {
  private reached: Position;
  private failures = 0;

  constructor(
    private readonly options: SubscriptionOptions<Tx>,
    private readonly shard: ShardRun<Tx>,
  ) {
    this.reached = shard.claim.position;
  }

  async run(): Promise<void> {
    const { signal, backoff, claim } = this.shard;
    this.moveTo(this.reached);
    while (!signal.aborted) {
      try {
        if (!(await this.follow())) return;
      } catch (error) {
        this.failures += 1;
        const details = { subscription: this.options.name, shard: claim.shard, err: error };
        const level = error instanceof PositionBeyondLog ? 'error' : 'warn';
        this.options.log[level](details, 'Cannot read events; retrying');
        await backoff.wait(this.failures, signal);
      }
    }
  }

  /** Processes page after page. False when this shard must stop. */
  private async follow(): Promise<boolean> {
    const { store, categories, pageSize, progress, lingerMs = 0 } = this.options;
    const leaving = new AbortController();
    const signal = AbortSignal.any([this.shard.signal, leaving.signal]);
    const pages = store.subscribe({ after: this.reached, categories, pageSize }, signal)[Symbol.asyncIterator]();
    let next = pages.next();
    let unstored: Position | undefined;
    let flush: Promise<undefined> | undefined;
    try {
      for (;;) {
        if (unstored !== undefined) flush ??= pause(emptyPageCheckpointMs, signal);
        const result = await (unstored === undefined ? next : Promise.race([next, flush]));
        if (result === undefined) {
          if (!(await this.processBatch([], unstored!))) return false;
          unstored = undefined;
          flush = undefined;
          continue;
        }
        if (result.done) return true;
        const { readTo, isLast } = result.value;
        const events = this.ownEvents(result.value);
        if (events.length === 0) unstored = readTo;
        else if (await this.processBatch(events, readTo)) unstored = undefined;
        else return false;
        this.moveTo(readTo);
        // If more events follow the page already, there is no need to accumulate.
        if (isLast) await progress.linger(lingerMs, signal);
        next = pages.next();
      }
    } finally {
      // A page may still be loading; its result is ignored.
      next.catch(() => undefined);
      leaving.abort();
    }
  }

  private moveTo(position: Position): void {
    this.reached = position;
    this.failures = 0;
    this.options.progress.report(this.options.name, this.shard.claim.shard, this.options.shardCount, position);
  }

  private ownEvents(page: EventPage): readonly RecordedEvent[] {
    const { shardCount, eventTypes } = this.options;
    if (shardCount === 1 && eventTypes === undefined) return page.events;
    return page.events.filter(
      ({ type, stream }) =>
        (eventTypes === undefined || eventTypes.has(type)) &&
        (shardCount === 1 || shardOf(stream, shardCount) === this.shard.claim.shard),
    );
  }

  /** True when the events are processed; false when this shard must stop. */
  private async processBatch(events: readonly RecordedEvent[], upTo: Position): Promise<boolean> {
    const { attemptsPerBatch = 5, isTransient, log, name, work } = this.options;
    const { membership, claim, signal, backoff, onStatus } = this.shard;
    for (let attempts = 1; !signal.aborted; attempts++) {
      try {
        await work(membership, claim, events, upTo);
        onStatus({ state: 'running' });
        return true;
      } catch (error) {
        if (error instanceof ShardLost) return false;
        onStatus({ state: 'retrying' });
        if (!isTransient(error) && attempts >= attemptsPerBatch) return this.isolate(events, upTo, error);
        log.warn({ subscription: name, shard: claim.shard, attempts, err: error }, 'A batch failed; retrying');
        await backoff.wait(attempts, signal);
      }
    }
    return false;
  }

  /** The batch keeps failing: process its events one by one up to the failing event, and stop there with an error. */
  private async isolate(events: readonly RecordedEvent[], upTo: Position, error: unknown): Promise<boolean> {
    if (events.length > 1) {
      for (const event of events) if (!(await this.processBatch([event], event.position))) return false;
      return true;
    }
    const [first] = events;
    const at =
      first === undefined
        ? `position ${upTo}`
        : `${first.type} (${first.stream}@${first.revision}, position ${first.position})`;
    const cause = `${at}: ${error instanceof Error ? error.message : String(error)}`;
    this.shard.onStatus({ state: 'stopped', reason: `stopped at ${cause}` });
    const details = { subscription: this.options.name, shard: this.shard.claim.shard, err: error };
    this.options.log.error(details, `Subscription stopped at ${cause}`);
    return false;
  }
}

/** Resolves after the time, or as soon as the signal aborts. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<undefined> {
  return delay(milliseconds, undefined, { signal }).catch(() => undefined);
}
