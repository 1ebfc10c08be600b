import { isRefusal, randomId } from '@florin/kernel';
import type {
  Aggregate,
  AnswerOf,
  AnyAggregate,
  CommandOf,
  EventOf,
  Refusal,
  RefusalCodeOf,
  StateOf,
} from '@florin/kernel';
import { LRUCache } from 'lru-cache';
import { type Backoff, exponentialBackoff } from './backoff';
import type { CommandHandlerOptions } from './command-handler-options';
import type { CommandContext } from './ports/command-bus.port';
import { type EventCodec, eventCodec, isUnreadable } from './event-codec';
import { isStoreMismatch } from './known-store';
import { tryTo } from './try-to';
import { sealEvent } from './event-metadata';
import { type Loaded, StreamLoader } from './loaded-stream';
import { Mailboxes } from './mailbox';
import { AppendTooLarge, type EventToAppend, noStream, RevisionConflict } from './ports/event-store.port';
import { isReader, type MailboxItem } from './mailbox-item';

/** The reply to a caller, also over the bus. `repeated` means that an earlier delivery had executed the command. */
export type CommandReply<Answer = null, Code extends string = string> =
  | { readonly ok: true; readonly repeated: boolean; readonly answer: Answer }
  | { readonly ok: false; readonly refusal: Refusal<Code> };

export type ReplyOf<A extends AnyAggregate> = CommandReply<AnswerOf<A>, RefusalCodeOf<A>>;

/** After this time, a failed append or read is not retried: the store has retried meanwhile, and clients wait. */
const maxOutageMs = 1_000;

type ItemFor<A extends AnyAggregate> = MailboxItem<StateOf<A>, CommandOf<A>, ReplyOf<A>>;

interface Decided {
  readonly events: readonly EventToAppend[];
  readonly settle: readonly (() => void)[];
}

/**
 * Executes commands with a decider. Commands for one stream that arrive during an append are decided together, each on
 * the state that the previous one leaves, and stored in one append. Every caller gets its own reply after that append
 * is durable. No reply is based on a state that the store has not confirmed.
 */
export class CommandHandler<A extends AnyAggregate> {
  private readonly aggregate: Aggregate<StateOf<A>, CommandOf<A>, EventOf<A>, RefusalCodeOf<A>, AnswerOf<A>>;
  private readonly codec: EventCodec<EventOf<A>>;
  private readonly cache: LRUCache<string, Loaded<StateOf<A>>>;
  private readonly mailboxes: Mailboxes<ItemFor<A>>;
  private readonly streams: StreamLoader<StateOf<A>, EventOf<A>>;
  private readonly backoff: Backoff;

  constructor(
    aggregate: A,
    private readonly options: CommandHandlerOptions,
  ) {
    this.aggregate = aggregate;
    this.codec = eventCodec<EventOf<A>>(aggregate.versions);
    this.streams = new StreamLoader({ codec: this.codec, decider: this.aggregate, ...options });
    this.cache = new LRUCache({ max: options.cachedStreams ?? 10_000 });
    this.backoff = options.backoff ?? exponentialBackoff(20, 1_000);
    const limits = { maxWaiting: options.maxWaiting ?? 10_000, maxBatch: options.maxBatch ?? 512 };
    this.mailboxes = new Mailboxes((stream, batch) => this.work(stream, batch), limits);
  }

  handle(streamId: string, command: CommandOf<A>, context: CommandContext): Promise<ReplyOf<A>> {
    return new Promise((resolve, reject) => {
      this.mailboxes.put(`${this.aggregate.category}-${streamId}`, { command, context, resolve, reject });
    });
  }

  /** Decides the commands in order, without others between them, and stores their events in one append if it has room. */
  async handleAll(streamId: string, commands: readonly CommandOf<A>[], context: CommandContext): Promise<ReplyOf<A>[]> {
    const items: ItemFor<A>[] = [];
    const replies = commands.map(
      (command) => new Promise<ReplyOf<A>>((resolve, reject) => items.push({ command, context, resolve, reject })),
    );
    this.mailboxes.putAll(`${this.aggregate.category}-${streamId}`, items);
    return Promise.all(replies);
  }

  /**
   * Reads a stream in order with its commands. A cached state is used if the store has confirmed it within `maxAgeMs`,
   * because another replica may have written since. `view` copies what it takes from the state.
   */
  async read<View>(streamId: string, maxAgeMs: number, view: (state: StateOf<A>) => View): Promise<View> {
    const stream = `${this.aggregate.category}-${streamId}`;
    const cached = this.mailboxes.isIdle(stream) ? this.cache.get(stream) : undefined;
    if (cached !== undefined && this.nowMs() - cached.confirmedAtMs < maxAgeMs) return view(cached.state);
    return new Promise((resolve, reject) => {
      const waiting = {
        maxAgeMs,
        view: (state: StateOf<A>) => {
          const result = tryTo(() => view(state));
          return () => ('error' in result ? reject(result.error) : resolve(result.value));
        },
        reject,
      };
      this.mailboxes.put(stream, waiting);
    });
  }

  private async work(stream: string, batch: readonly ItemFor<A>[]): Promise<void> {
    const startedAtMs = performance.now();
    for (let tries = 1; ; tries++) {
      try {
        if (await this.attempt(stream, batch, tries)) return;
      } catch (error) {
        // The outcome of a failed append is unknown, or the state was outdated. After a reload, a command that was
        // stored is recognized as a repeat.
        this.cache.delete(stream);
        const isTooLarge = error instanceof AppendTooLarge;
        if (isTooLarge && batch.length > 1) return this.workInHalves(stream, batch);
        const isConflict = error instanceof RevisionConflict;
        const isOutage = !isConflict && performance.now() - startedAtMs >= maxOutageMs;
        const isFinal = isTooLarge || isOutage || isUnreadable(error) || isStoreMismatch(error);
        if (isFinal || tries >= (this.options.maxAttempts ?? 5)) {
          for (const { reject } of batch) reject(error);
          return;
        }
        if (!isConflict) await this.backoff.wait(tries);
      }
    }
  }

  /** Commands that share a batch by chance must not fail because the store limits the size of an append. */
  private async workInHalves(stream: string, batch: readonly ItemFor<A>[]): Promise<void> {
    const half = Math.ceil(batch.length / 2);
    await this.work(stream, batch.slice(0, half));
    await this.work(stream, batch.slice(half));
  }

  /** True when the batch is settled; false when the state was outdated and the batch has to be decided again. */
  private async attempt(stream: string, batch: readonly ItemFor<A>[], tries: number): Promise<boolean> {
    const cached = this.cache.get(stream) ?? (tries === 1 ? this.assumedEmpty(batch) : undefined);
    const loaded = cached ?? (await this.streams.load(stream));
    if (cached !== undefined && this.isTooOld(cached, batch)) await this.streams.catchUp(stream, cached);
    // From here on the state is ahead of the store. No other task reads it during this batch, and a failure discards
    // it.
    const expectedRevision = loaded.revision;
    const { events, settle } = this.decideAll(stream, loaded, batch);
    if (events.length > 0) {
      await this.options.store.append(stream, expectedRevision, events);
      loaded.confirmedAtMs = this.nowMs();
    } else if (cached !== undefined && !batch.every(isReader) && (await this.streams.catchUp(stream, loaded))) {
      // A refusal or a repeat must be based on the current events, and another replica has written in the meantime.
      this.cache.set(stream, loaded);
      return false;
    }
    if (loaded.revision !== noStream || batch.some(isReader)) this.cache.set(stream, loaded);
    for (const answer of settle) answer();
    if (events.length > 0) this.streams.takeSnapshotIfDue(stream, loaded);
    return true;
  }

  private assumedEmpty([first]: readonly ItemFor<A>[]): Loaded<StateOf<A>> | undefined {
    const begins = first && !isReader(first) && first.command.type === this.options.firstCommand;
    return begins ? this.streams.empty() : undefined;
  }

  private decideAll(stream: string, loaded: Loaded<StateOf<A>>, batch: readonly ItemFor<A>[]): Decided {
    const now = this.options.clock.now().toISOString();
    // A clock that steps back must not reverse the times of a stream: statements are split by day.
    const recordedAt = now > loaded.lastRecordedAt ? now : loaded.lastRecordedAt;
    const { aggregate } = this;
    const events: EventToAppend[] = [];
    const settle: (() => void)[] = [];
    for (const waiting of batch) {
      if (isReader(waiting)) {
        settle.push(waiting.view(loaded.state));
        continue;
      }
      const { command, context, resolve, reject } = waiting;
      const decision = tryTo(() => aggregate.decide(command, loaded.state));
      if ('error' in decision) {
        settle.push(() => reject(decision.error));
      } else if (isRefusal(decision.value)) {
        const reply = { ok: false, refusal: decision.value } as const;
        settle.push(() => resolve(reply));
      } else {
        for (const event of decision.value) {
          events.push(this.seal(stream, loaded, event, context, recordedAt));
          loaded.state = aggregate.evolve(loaded.state, event);
        }
        const repeated = decision.value.length === 0;
        const reply = { ok: true, repeated, answer: aggregate.answer(loaded.state, command, repeated) } as const;
        settle.push(() => resolve(reply));
      }
    }
    return { events, settle };
  }

  private seal(
    stream: string,
    loaded: Loaded<StateOf<A>>,
    event: EventOf<A>,
    context: CommandContext,
    recordedAt: string,
  ): EventToAppend {
    loaded.revision += 1;
    loaded.lastRecordedAt = recordedAt;
    const { correlationId, traceparent, actor } = context.headers;
    const { sealed, hash } = sealEvent(
      {
        stream,
        revision: loaded.revision,
        // Not derived from the command's id: two replicas may decide one redelivered command concurrently, and the
        // store must treat their events as conflicting. The state recognizes what was stored before.
        id: randomId(),
        type: event.type,
        data: JSON.stringify(event.data),
        metadata: {
          schemaVersion: this.codec.currentVersion(event.type),
          recordedAt,
          correlationId,
          causationId: context.id,
          traceparent,
          actor: { kind: actor.kind, id: actor.id },
        },
      },
      loaded.lastHash,
    );
    loaded.lastHash = hash;
    return sealed;
  }

  private isTooOld(cached: Loaded<StateOf<A>>, batch: readonly ItemFor<A>[]): boolean {
    return batch.some((waiting) => isReader(waiting) && this.nowMs() - cached.confirmedAtMs >= waiting.maxAgeMs);
  }

  private nowMs(): number {
    return this.options.clock.now().getTime();
  }
}
