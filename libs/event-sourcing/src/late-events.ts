import { type Stop, stopsIn } from './blocked-event';
import {
  type Membership,
  type SetAsideChanges,
  type SetAsideStream,
  type ShardClaim,
  ShardLost,
} from './ports/checkpoint-store.port';
import type { Position, RecordedEvent } from './ports/event-store.port';
import { requireKnown, setAsideAt, type SetAsideStreams, isRetried } from './set-aside-streams';
import type { Batch, SubscriptionOptions } from './subscription-options';

export interface LateEventsOptions<Tx> {
  readonly options: SubscriptionOptions<Tx>;
  readonly membership: Membership<Tx>;
  readonly claim: ShardClaim;
  readonly setAside: SetAsideStreams;
  /** Whether the subscription is interested in the event. */
  readonly isWanted: (event: RecordedEvent) => boolean;
}

class RolledBack extends Error {}

/**
 * One attempt to catch up with the set-aside streams of a shard. It first finds the streams that can be processed now, and
 * then reads their events from the log, in the order of the log, because some depend on each other. Every step stores its
 * progress together with its effects.
 */
export class LateEvents<Tx> {
  private readonly unprobed: SetAsideStream[];
  private readonly candidates = new Map<string, SetAsideStream>();
  private readTo: Position | undefined;
  private events: readonly RecordedEvent[] = [];
  /** How many of the events to process next: fewer than all after a failure. */
  private batchSize = Infinity;
  private isIsolating = false;
  /** A stream is blocked by another service, which may be updated later. */
  needsRetry = false;
  /** Streams are caught up, so that those which waited for them can be processed. */
  hasCaughtUp = false;

  constructor(private readonly late: LateEventsOptions<Tx>) {
    this.unprobed = late.setAside.inOrder();
  }

  /** One small step, after which new events of the log may be processed. True when the attempt is complete. */
  async step(reached: Position): Promise<boolean> {
    const [entry] = this.unprobed.splice(0, 1);
    if (entry !== undefined) {
      await this.probe(entry);
    } else if (this.candidates.size === 0) {
      return true;
    } else if (this.events.length > 0) {
      await this.process();
    } else if ((this.readTo ??= this.start()) < reached) {
      await this.read(reached);
    } else {
      await this.finish();
    }
    return false;
  }

  private async probe(entry: SetAsideStream): Promise<void> {
    const { options } = this.late;
    const event = await this.firstOf(entry);
    try {
      if (event !== undefined) {
        requireKnown([event], options.knownEventTypes);
        if (this.late.isWanted(event)) await options.probe?.(this.batch([event], (work) => this.dryRun(work)));
      }
    } catch (error) {
      if (stopsIn(error, [event!]).length > 0) return;
      if (error instanceof ShardLost || options.isTransient(error)) throw error;
      // Processing the event shows what is wrong with it.
    }
    this.candidates.set(entry.stream, entry);
  }

  private async firstOf({ stream, revision }: SetAsideStream): Promise<RecordedEvent | undefined> {
    for await (const [first] of this.late.options.store.readStream(stream, revision)) return first;
    return undefined;
  }

  private start(): Position {
    const positions = [...this.candidates.values()].map(({ position }) => position);
    return positions.reduce((least, position) => (position < least ? position : least)) - 1n;
  }

  private async read(reached: Position): Promise<void> {
    const { options, isWanted } = this.late;
    const { store, categories, pageSize } = options;
    const page = await store.readAll({ after: this.readTo!, categories, pageSize });
    this.readTo = page.readTo < reached && !page.isLast ? page.readTo : reached;
    this.events = page.events.filter((event) => {
      const entry = this.candidates.get(event.stream);
      return entry !== undefined && event.position >= entry.position && event.position <= reached && isWanted(event);
    });
    this.isIsolating = false;
  }

  private async process(): Promise<void> {
    const { options, setAside } = this.late;
    const batch = this.events.slice(0, this.isIsolating ? 1 : this.batchSize);
    this.batchSize = Infinity;
    const put = [...new Map(batch.map((event) => [event.stream, this.after(event)])).values()];
    try {
      requireKnown(batch, options.knownEventTypes);
      await options.work(this.batch(batch, (work) => this.write({ put }, work)));
    } catch (error) {
      if (error instanceof ShardLost || options.isTransient(error)) throw error;
      return this.handleFailure(batch, error);
    }
    this.events = this.events.slice(batch.length);
    setAside.put(put);
    for (const entry of put) this.candidates.set(entry.stream, entry);
  }

  private after({ stream, position, revision }: RecordedEvent): SetAsideStream {
    return { ...this.candidates.get(stream)!, position: position + 1n, revision: revision + 1 };
  }

  /** A stream is stopped only when its earlier events in the batch are processed. */
  private async handleFailure(batch: readonly RecordedEvent[], error: unknown): Promise<void> {
    const stops = stopsIn(error, batch);
    if (stops.length === 0 && batch.length === 1) return this.stopAt(batch[0]!, error);
    if (stops.length === 0) {
      this.isIsolating = true;
      return;
    }
    const isFirst = ({ event }: Stop): boolean => batch.find(({ stream }) => stream === event.stream) === event;
    for (const stop of stops.filter(isFirst)) await this.stopAt(stop.event, stop.error);
    if (!stops.some(isFirst)) this.batchSize = Math.min(...stops.map(({ event }) => batch.indexOf(event)));
  }

  private async stopAt(event: RecordedEvent, error: unknown): Promise<void> {
    const { stream } = event;
    const entry = setAsideAt(event, error);
    this.events = this.events.filter((other) => other.stream !== stream);
    await this.write({ put: [entry] });
    this.late.setAside.put([entry]);
    this.candidates.delete(stream);
    this.needsRetry ||= isRetried(error);
    this.report('warn', entry, `A stream stays set aside: ${entry.reason}`);
  }

  private async finish(): Promise<void> {
    const { setAside } = this.late;
    await this.write({ removed: [...this.candidates.keys()] });
    setAside.remove(this.candidates.keys());
    for (const entry of this.candidates.values())
      this.report('info', entry, 'Caught up with a stream that was set aside');
    this.candidates.clear();
    this.hasCaughtUp = true;
  }

  private batch(events: readonly RecordedEvent[], commit: Batch<Tx>['commit']): Batch<Tx> {
    const { setAside, membership, claim } = this.late;
    const setAsideFrom = (stream: string): Position | undefined =>
      this.candidates.has(stream) ? undefined : setAside.get(stream)?.position;
    return { events, membership, claim, commit, isLate: true, setAsideFrom };
  }

  private write(changes: SetAsideChanges, work?: (tx: Tx) => Promise<void>): Promise<void> {
    const { membership, claim } = this.late;
    return membership.write(claim, changes, work);
  }

  private async dryRun(work?: (tx: Tx) => Promise<void>): Promise<void> {
    const rolledBack = this.write({}, async (tx) => {
      await work?.(tx);
      throw new RolledBack();
    });
    await rolledBack.catch((error: unknown) => {
      if (!(error instanceof RolledBack)) throw error;
    });
  }

  private report(level: 'info' | 'warn', { stream, position }: SetAsideStream, message: string): void {
    const { name, log } = this.late.options;
    log[level]({ subscription: name, shard: this.late.claim.shard, stream, position: String(position) }, message);
  }
}
