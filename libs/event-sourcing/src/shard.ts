import type { Backoff } from './backoff';
import { type Membership, type ShardClaim, ShardLost } from './ports/checkpoint-store.port';
import type { EventPage, Position, RecordedEvent } from './ports/event-store.port';
import { shardOf } from './shard-of';
import type { SubscriptionOptions, SubscriptionStatus } from './subscription-options';

export interface ShardRun<Tx> {
  readonly membership: Membership<Tx>;
  readonly claim: ShardClaim;
  readonly backoff: Backoff;
  readonly signal: AbortSignal;
  readonly tell: (status: SubscriptionStatus) => void;
}

/** How long the checkpoint of pages without events of ours may wait, so that following from the side costs little. */
const emptyPageEveryMs = 100;

/** Works on one shard until it is aborted, lost to another replica, or stopped by a poison event. */
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
        this.options.log.warn(details, 'Cannot read events; trying again');
        await backoff.wait(this.failures, signal);
      }
    }
  }

  /** Works off page after page. False when this shard must not go on. */
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
        if (unstored !== undefined) flush ??= pause(emptyPageEveryMs, signal);
        const result = await (unstored === undefined ? next : Promise.race([next, flush]));
        if (result === undefined) {
          if (!(await this.workOff([], unstored!))) return false;
          unstored = undefined;
          flush = undefined;
          continue;
        }
        if (result.done) return true;
        const { readTo, isLast } = result.value;
        const events = this.ownEvents(result.value);
        if (events.length === 0) unstored = readTo;
        else if (await this.workOff(events, readTo)) unstored = undefined;
        else return false;
        this.moveTo(readTo);
        // Where more lies behind the page already, there is nothing to gather.
        if (isLast) await progress.linger(lingerMs, signal);
        next = pages.next();
      }
    } finally {
      // A page may still be on its way; nobody waits for it any more.
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

  /** True when the events are dealt with; false when this shard must not go on. */
  private async workOff(events: readonly RecordedEvent[], upTo: Position): Promise<boolean> {
    const { attemptsPerBatch = 5, isTransient, log, name, work } = this.options;
    const { membership, claim, signal, backoff, tell } = this.shard;
    for (let attempts = 1; !signal.aborted; attempts++) {
      try {
        await work(membership, claim, events, upTo);
        tell({ state: 'running' });
        return true;
      } catch (error) {
        if (error instanceof ShardLost) return false;
        tell({ state: 'retrying' });
        if (!isTransient(error) && attempts >= attemptsPerBatch) return this.isolate(events, upTo, error);
        log.warn({ subscription: name, shard: claim.shard, attempts, err: error }, 'A batch failed; trying again');
        await backoff.wait(attempts, signal);
      }
    }
    return false;
  }

  /** A batch keeps failing: go on one by one up to the event that is to blame, and stop there where everyone sees it. */
  private async isolate(events: readonly RecordedEvent[], upTo: Position, error: unknown): Promise<boolean> {
    if (events.length > 1) {
      for (const event of events) if (!(await this.workOff([event], event.position))) return false;
      return true;
    }
    const [first] = events;
    const at =
      first === undefined
        ? `position ${upTo}`
        : `${first.type} (${first.stream}@${first.revision}, position ${first.position})`;
    const reason = `stopped at ${at}: ${error instanceof Error ? error.message : String(error)}`;
    this.shard.tell({ state: 'stopped', reason });
    const details = { subscription: this.options.name, shard: this.shard.claim.shard, err: error };
    this.options.log.error(details, `Subscription ${reason}`);
    return false;
  }
}

/** Resolves after the time, or as soon as the signal aborts. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<undefined> {
  if (signal.aborted) return undefined;
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve(undefined);
    };
    const timer = setTimeout(done, milliseconds);
    signal.addEventListener('abort', done);
  });
}
