import {
  type AllEventsQuery,
  type EventPage,
  type EventStore,
  type EventToAppend,
  exponentialBackoff,
  followEvents,
  KnownStore,
  type Position,
  type RecordedEvent,
  SharedQuery,
} from '@florin/event-sourcing';
import { type ClientConfig, Pool } from 'pg';
import { ArchiveFolder } from './archive/archive-folder';
import { ArchivedLog } from './archive/archived-log';
import { HeadNotifier } from './head-notifier';
import { AppendSequencer } from './append-sequencer';
import { classifyAppends } from './conflicting-appends';
import { EventReader } from './event-reader';
import { HeadListener } from './head-listener';
import { KnownRevisions } from './known-revisions';
import { LiveTail } from './live-tail';
import { checkAppend, type PendingAppend } from './pending-append';
import { otherDatabase, requireKnown } from './require-known';
import { StreamReadBatcher } from './stream-read-batcher';
import { WriteConnection } from './write-connection';

export interface PostgresEventStoreOptions {
  /** How many batches are written concurrently, each on its own connection. */
  readonly writeConnections?: number;
  /**
   * For commands that load streams. Subscriptions have the same number of separate connections, so a replay cannot
   * starve commands.
   */
  readonly readConnections?: number;
  readonly maxBatchEvents?: number;
  readonly maxWaitingAppends?: number;
  readonly pageSize?: number;
  /** How long a lost notification may delay a subscription. */
  readonly pollEveryMs?: number;
  /** The folder with archived events. Without it, reads of archived events fail. */
  readonly archiveDirectory?: string;
}

/** No call may hang forever, not even on a network that drops packets. */
const timeouts = {
  keepAlive: true,
  connectionTimeoutMillis: 5_000,
  statement_timeout: 25_000,
  query_timeout: 30_000,
};
const knownStreams = 50_000;
const tailLimits = { maxEvents: 10_000, maxCharacters: 16_000_000 };

/** The event store in a Postgres database with the `event_store` migrations. */
export class PostgresEventStore implements EventStore {
  readonly hasGaplessPositions = true;
  private readonly pageSize: number;
  private readonly known = new KnownRevisions(knownStreams);
  private readonly store = new KnownStore(otherDatabase);
  private readonly pools: readonly [commands: Pool, subscriptions: Pool];
  private readonly archive: ArchivedLog;
  private readonly commandReader: EventReader;
  private readonly streamReads: StreamReadBatcher;
  private readonly subscriptionReader: EventReader;
  private readonly notifier: HeadNotifier;
  private readonly sequencer: AppendSequencer;
  private readonly tail: LiveTail;
  private readonly listener: HeadListener;
  private readonly heads = new SharedQuery(() => this.readHead());

  constructor(connection: ClientConfig, options: PostgresEventStoreOptions = {}) {
    const config = { application_name: 'florin event store', ...connection, ...timeouts };
    const backoff = exponentialBackoff(100, 2_000);
    this.pageSize = options.pageSize ?? 5_000;
    this.pools = [readPool(config, options.readConnections), readPool(config, options.readConnections)];
    const { archiveDirectory } = options;
    const folder = archiveDirectory === undefined ? undefined : new ArchiveFolder(archiveDirectory);
    this.archive = new ArchivedLog(this.pools[0], folder);
    this.commandReader = new EventReader(this.pools[0], this.archive);
    this.streamReads = new StreamReadBatcher((wanted) => this.commandReader.streamPages(wanted, this.pageSize));
    this.subscriptionReader = new EventReader(this.pools[1], new ArchivedLog(this.pools[1], folder));
    this.tail = new LiveTail({ ...tailLimits, read: (after) => this.subscriptionReader.page(after, this.pageSize) });
    const connections = Array.from(
      { length: options.writeConnections ?? 1 },
      () => new WriteConnection(config, this.known, this.store),
    );
    this.notifier = new HeadNotifier(() => this.commandReader.notifyHead());
    this.sequencer = new AppendSequencer({
      connections,
      known: this.known,
      classify: (appends) => classifyAppends(this.pools[0], appends),
      onAppended: (batch, lastPosition) => this.publishToTail(batch, lastPosition),
      notifier: this.notifier,
      backoff,
      maxBatchEvents: options.maxBatchEvents ?? 256,
      maxWaitingAppends: options.maxWaitingAppends ?? 50_000,
    });
    this.listener = new HeadListener({
      config,
      pollEveryMs: options.pollEveryMs ?? 1_000,
      backoff,
      isOwnConnection: (processId) => connections.some((own) => own.processId === processId),
      onHead: (head) => this.tail.announce(head),
      onFailure: (error) => this.tail.fail(error),
    });
  }

  async append(stream: string, expectedRevision: number, events: readonly EventToAppend[]): Promise<void> {
    if (events.length === 0) return;
    checkAppend(stream, expectedRevision, events);
    await this.sequencer.append(stream, expectedRevision, events);
  }

  async *readStream(stream: string, fromRevision = 0): AsyncGenerator<readonly RecordedEvent[]> {
    let from = fromRevision;
    let next = this.streamReads.page(stream, from);
    for (;;) {
      const { events, isLast, archived } = await next;
      if (archived !== undefined) {
        this.known.learn(stream, archived.lastRevision);
        yield* this.archive.stream(archived, from);
        from = archived.lastRevision + 1;
        next = this.streamReads.page(stream, from);
        continue;
      }
      const last = events.at(-1);
      if (last === undefined) return;
      this.known.learn(stream, last.revision);
      if (!isLast) {
        from = last.revision + 1;
        next = this.streamReads.page(stream, from);
        // A caller that stops early never awaits it; a caller that continues gets the error.
        next.catch(() => undefined);
      }
      yield events;
      if (isLast) return;
    }
  }

  readAll({ after, categories, pageSize = this.pageSize }: AllEventsQuery): Promise<EventPage> {
    return this.commandReader.page(after, pageSize, categories);
  }

  head(): Promise<Position> {
    return this.heads.execute();
  }

  async *subscribe(query: AllEventsQuery, signal: AbortSignal): AsyncGenerator<EventPage> {
    this.listener.start();
    yield* followEvents({ reader: this.subscriptionReader, tail: this.tail, pageSize: this.pageSize }, query, signal);
  }

  /** From now on, appends go only to the database with this identity and all events that were seen before. */
  expectIdentity(id: string): void {
    this.store.expect(id);
  }

  /** Rejects if another database is behind the connection. */
  requireIdentity(database: Pick<Pool, 'query'>): Promise<void> {
    return requireKnown(this.store, database);
  }

  /** Finishes the accepted appends. Subscriptions must have been ended by their signals before. */
  async close(): Promise<void> {
    await this.sequencer.close();
    await this.notifier.close();
    await this.listener.close();
    this.tail.fail(new Error('The event store is closed'));
    await Promise.all(this.pools.map((pool) => pool.end()));
  }

  private async readHead(): Promise<Position> {
    const { end } = this.store;
    const head = await this.commandReader.head();
    this.store.requireEnd(head, end);
    this.store.saw(head);
    return head;
  }

  private publishToTail(batch: readonly PendingAppend[], lastPosition: Position): void {
    // A subscription may be between its last page and the tail: it must learn about events in between.
    if (!this.tail.isFollowing) return this.tail.announce(lastPosition);
    const count = batch.reduce((sum, { events }) => sum + events.length, 0);
    let position = lastPosition - BigInt(count);
    const recorded = batch.flatMap(({ stream, expectedRevision, events }) =>
      events.map(({ id, type, data, metadata }, index) => {
        position += 1n;
        return { id, type, data, metadata, stream, revision: expectedRevision + 1 + index, position };
      }),
    );
    this.tail.extend(recorded);
  }
}

function readPool(config: ClientConfig, max = 4): Pool {
  const pool = new Pool({ ...config, max });
  // A connection that breaks while idle is replaced at its next use; without a listener it would end the process.
  pool.on('error', () => undefined);
  return pool;
}
