import { setImmediate as nextTurn } from 'node:timers/promises';
import { stopsIn } from './blocked-event';
import { LateEvents } from './late-events';
import { type SetAsideStream, ShardLost } from './ports/checkpoint-store.port';
import { type EventPage, type Position, PositionBeyondLog, type RecordedEvent } from './ports/event-store.port';
import { pause } from './pause';
import { isRetried, requireKnown, setAsideAt, SetAsideStreams } from './set-aside-streams';
import { shardOf } from './shard-of';
import { emptyPageCheckpointMs, lingerMs, placeOf, type ShardRun } from './shard-run';
import type { Batch, SubscriptionOptions } from './subscription-options';

/** A page of events is compared with all of them, and a start reads all of them. */
const defaultMaxSetAsideStreams = 10_000;

const defaultRetryBlockedMs = 60_000;

/** A subscription that has not failed within this time after a failure works again, even if there are no new events. */
const recoveredAfterMs = 500;

/** Processes one shard until it is aborted, lost to another replica, or stopped by a poison event. */
export function runShard<Tx>(options: SubscriptionOptions<Tx>, run: ShardRun<Tx>): Promise<void> {
  return new Shard(options, run).run();
}

class Shard<Tx> {
  private reached: Position;
  private failures = 0;
  private setAside: SetAsideStreams | undefined;
  private late: LateEvents<Tx> | undefined;
  private retryBlocked = false;

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
        if (this.setAside === undefined) await this.loadSetAside();
        if (!(await this.follow(this.setAside!))) return;
      } catch (error) {
        if (error instanceof ShardLost) return;
        // A step that failed may have been stored.
        this.setAside = undefined;
        this.failures += 1;
        this.shard.onFailure(error);
        const details = { subscription: this.options.name, shard: claim.shard, err: error };
        const level = error instanceof PositionBeyondLog ? 'error' : 'warn';
        this.options.log[level](details, 'Cannot read events; retrying');
        await backoff.wait(this.failures, signal);
      }
    }
  }

  /** Processes page after page. False when this shard must stop. */
  private async follow(setAside: SetAsideStreams): Promise<boolean> {
    const { name, store, categories, pageSize, progress } = this.options;
    const leaving = new AbortController();
    const signal = AbortSignal.any([this.shard.signal, leaving.signal]);
    if (this.failures > 0) await this.recover(signal);
    const pages = store.subscribe({ after: this.reached, categories, pageSize }, signal)[Symbol.asyncIterator]();
    let next = pages.next();
    let unstored: Position | undefined;
    let flush: Promise<'flush'> | undefined;
    let late: Promise<'late'> | undefined;
    try {
      for (;;) {
        const flushMs = emptyPageCheckpointMs(this.options, this.shard);
        if (unstored !== undefined) flush ??= pause(flushMs, signal).then(() => 'flush');
        late ??= this.lateStepDue(signal);
        const result = await Promise.race([next, ...(flush ? [flush] : []), ...(late ? [late] : [])]);
        if (result === 'flush' || result === 'late') {
          if (unstored !== undefined && !(await this.processBatch([], unstored))) return false;
          unstored = undefined;
          flush = undefined;
          if (result === 'flush') continue;
          if (!signal.aborted) await this.lateStep(setAside);
          late = undefined;
          continue;
        }
        if (result.done) return true;
        const { readTo, isLast } = result.value;
        const events = setAside.without(this.ownEvents(result.value));
        if (events.length === 0) unstored = readTo;
        else if (await this.processBatch(events, readTo)) unstored = undefined;
        else return false;
        this.moveTo(readTo);
        // If more events follow the page already, there is no need to accumulate.
        if (isLast) await progress.linger(name, lingerMs(this.options, this.shard), signal);
        next = pages.next();
      }
    } finally {
      // A page may still be loading; its result is ignored.
      next.catch(() => undefined);
      leaving.abort();
    }
  }

  /** Without new events, only the absence of failures shows that the store can be read again. */
  private async recover(signal: AbortSignal): Promise<void> {
    await this.options.store.head();
    void pause(recoveredAfterMs, signal).then(() => void (signal.aborted || this.succeed()));
  }

  private succeed(): void {
    this.failures = 0;
    this.shard.onSuccess();
  }

  private moveTo(position: Position): void {
    this.reached = position;
    this.succeed();
    this.options.progress.report(this.options.name, this.shard.claim.shard, this.options.shardCount, position);
  }

  private ownEvents(page: EventPage): readonly RecordedEvent[] {
    const { shardCount, eventTypes } = this.options;
    if (shardCount === 1 && eventTypes === undefined) return page.events;
    return page.events.filter((event) => this.isWanted(event) && this.isOwn(event));
  }

  /** An unknown type as well: its stream has to be set aside. */
  private isWanted({ type }: RecordedEvent): boolean {
    const { eventTypes, knownEventTypes } = this.options;
    return eventTypes === undefined || eventTypes.has(type) || (knownEventTypes?.has(type) ?? true) === false;
  }

  private isOwn({ stream }: Pick<RecordedEvent, 'stream'>): boolean {
    return shardOf(stream, this.options.shardCount) === this.shard.claim.shard;
  }

  private async loadSetAside(): Promise<void> {
    const stored = await this.shard.membership.setAside();
    const setAside = new SetAsideStreams(stored.filter((entry) => this.isOwn(entry)));
    this.setAside = setAside;
    this.late = undefined;
    this.reportSetAside();
    if (setAside.size > 0) this.catchUpWith(setAside);
  }

  private catchUpWith(setAside: SetAsideStreams): void {
    const { membership, claim } = this.shard;
    this.retryBlocked = false;
    this.late = new LateEvents({
      options: this.options,
      membership,
      claim,
      setAside,
      isWanted: (event) => this.isWanted(event),
    });
  }

  /** Steps of an attempt to catch up alternate with new events. Undefined when there is nothing to do. */
  private lateStepDue(signal: AbortSignal): Promise<'late'> | undefined {
    if (this.late !== undefined) return nextTurn().then(() => 'late');
    if (!this.retryBlocked) return undefined;
    return pause(this.options.retryBlockedMs ?? defaultRetryBlockedMs, signal).then(() => 'late');
  }

  private async lateStep(setAside: SetAsideStreams): Promise<void> {
    if (this.late === undefined) return this.catchUpWith(setAside);
    if (!(await this.late.step(this.reached))) return;
    const { hasCaughtUp, needsRetry } = this.late;
    this.late = undefined;
    this.reportSetAside();
    if (hasCaughtUp && setAside.size > 0) this.catchUpWith(setAside);
    this.retryBlocked ||= needsRetry;
  }

  private reportSetAside(): void {
    this.options.progress.reportSetAside(this.options.name, this.shard.claim.shard, this.setAside?.size ?? 0);
  }

  /** True when the events are processed; false when this shard must stop. */
  private async processBatch(events: readonly RecordedEvent[], upTo: Position): Promise<boolean> {
    const { attemptsPerBatch = 5, isTransient, log, name, work, knownEventTypes } = this.options;
    const { membership, claim, signal, backoff, onFailure } = this.shard;
    const added = new Map<string, SetAsideStream>();
    const commit: Batch<Tx>['commit'] = (write) => membership.advance(claim, upTo, write, { put: [...added.values()] });
    for (let attempts = 1; !signal.aborted; attempts++) {
      const readable = this.setAside!.without(events, added);
      try {
        requireKnown(readable, knownEventTypes);
        await work({ events: readable, membership, claim, commit, ...this.setAside!.context(added) });
        this.keep(added);
        return true;
      } catch (error) {
        if (error instanceof ShardLost) return false;
        if (this.addSetAside(added, readable, error)) {
          attempts = 0;
          continue;
        }
        onFailure(error);
        if (!isTransient(error) && attempts >= attemptsPerBatch) return this.isolate(events, upTo, error);
        log.warn({ subscription: name, shard: claim.shard, attempts, err: error }, 'A batch failed; retrying');
        await backoff.wait(attempts, signal);
      }
    }
    return false;
  }

  /** Sets the streams aside whose events cannot be processed, unless order or the limit forbids it. */
  private addSetAside(added: Map<string, SetAsideStream>, events: readonly RecordedEvent[], error: unknown): boolean {
    const { inOrder = false, maxSetAsideStreams = defaultMaxSetAsideStreams } = this.options;
    const stops = stopsIn(error, events);
    if (stops.length === 0 || inOrder) return false;
    if (this.setAside!.size + added.size + stops.length > maxSetAsideStreams) return false;
    for (const stop of stops) {
      added.set(stop.event.stream, setAsideAt(stop.event, stop.error));
      this.retryBlocked ||= isRetried(stop.error);
    }
    return true;
  }

  private keep(added: ReadonlyMap<string, SetAsideStream>): void {
    if (added.size === 0) return;
    this.setAside!.put(added.values());
    for (const { stream, position, type, schemaVersion, reason } of added.values()) {
      const details = { subscription: this.options.name, shard: this.shard.claim.shard };
      this.options.log.error(
        { ...details, stream, position: String(position), type, schemaVersion },
        `Set a stream aside; all others continue: ${reason}`,
      );
    }
    this.reportSetAside();
  }

  /** The batch keeps failing: process its events one by one up to the failing event, and stop there with an error. */
  private async isolate(events: readonly RecordedEvent[], upTo: Position, error: unknown): Promise<boolean> {
    if (events.length > 1) {
      for (const event of events) if (!(await this.processBatch([event], event.position))) return false;
      return true;
    }
    const [first] = events;
    const cause = `${placeOf(first, upTo)}: ${error instanceof Error ? error.message : String(error)}`;
    this.shard.onStopped(`stopped at ${cause}`);
    const details = { subscription: this.options.name, shard: this.shard.claim.shard, err: error };
    this.options.log.error(details, `Subscription stopped at ${cause}`);
    return false;
  }
}
