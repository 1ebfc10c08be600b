import {
  categoryOf,
  type EventPage,
  type EventStore,
  type Position,
  prefetch,
  type RecordedEvent,
  shardOf,
  type ShardPositions,
} from '@florin/event-sourcing';
import type { PoolClient } from 'pg';
import type { ReadModel } from '../all-projections';
import type { PartProgress } from './replay-parts';
import type { ReplayTables } from './replay-tables';
import { shadowTransaction } from './shadow-transaction';

type ReadableStore = Pick<EventStore, 'readAll'>;

/** The rebuild of one read model beside the live one. */
export class ReadModelBuild {
  /** The number of events that this process has projected. */
  events = 0;
  seconds = 0;
  /** How far the log is read. */
  private reached: Position;

  private constructor(
    readonly readModel: ReadModel,
    private readonly tables: ReplayTables,
    /** How far it is committed. */
    private stored: Position,
  ) {
    this.reached = stored;
  }

  static async open(readModel: ReadModel, tables: ReplayTables): Promise<ReadModelBuild> {
    return new ReadModelBuild(readModel, tables, await tables.open(readModel));
  }

  /** Of a run that another thread has begun. */
  static async resume(readModel: ReadModel, tables: ReplayTables): Promise<ReadModelBuild> {
    return new ReadModelBuild(readModel, tables, await tables.positionOf(readModel.projection.name));
  }

  /** Continues where the same run has committed it, possibly in another thread. */
  async resume(): Promise<void> {
    this.stored = this.reached = await this.tables.positionOf(this.name);
  }

  /** A worker advances it. */
  follow({ position, events, seconds }: PartProgress): void {
    Object.assign(this, { reached: position, events, seconds });
  }

  get position(): Position {
    return this.reached;
  }

  get name(): string {
    return this.readModel.projection.name;
  }

  /**
   * Projects its part of the next events of the log. Without such events, only `isLast` commits the position. After an interruption, the
   * next build continues where this one was committed.
   */
  async advanceTo(position: Position, events: readonly RecordedEvent[], isLast: boolean): Promise<void> {
    if (position <= this.reached) return;
    const own = events.filter((event) => event.position > this.reached && this.isInterestedIn(event));
    const startedAt = Date.now();
    if (own.length > 0 || isLast) await this.commit(own, position);
    this.seconds += (Date.now() - startedAt) / 1_000;
    this.reached = position;
    this.events += own.length;
  }

  /**
   * Projects what each shard of the live read model contains and this one does not, in the transaction that replaces the live
   * one. Returns the positions of the shards afterwards.
   */
  async finish(live: ShardPositions, store: ReadableStore, tx: PoolClient): Promise<ShardPositions> {
    const end = live.reduce((last, position) => (position > last ? position : last), this.stored);
    for await (const { events } of pagesUpTo(end, store, this.stored, this.readModel.projection.categories)) {
      const missing = events.filter(
        (event) => this.isInterestedIn(event) && event.position <= live[shardOf(event.stream, live.length)]!,
      );
      await this.project(missing, tx);
    }
    await this.tables.close(this.name, this.stored, tx);
    return live.map((position) => (position > this.stored ? position : this.stored));
  }

  private async commit(events: readonly RecordedEvent[], to: Position): Promise<void> {
    await this.tables.advance(this.name, this.stored, to, (tx) => this.project(events, tx));
    this.stored = to;
  }

  private async project(events: readonly RecordedEvent[], tx: PoolClient): Promise<void> {
    if (events.length === 0) return;
    try {
      await this.readModel.projection.project(events, shadowTransaction(tx, this.tables.schema));
    } catch (error) {
      const range = `positions ${events[0]!.position} to ${events.at(-1)!.position}`;
      throw new Error(`${this.name} failed at ${range}: ${(error as Error).message}`, { cause: error });
    }
  }

  private isInterestedIn({ stream, type }: RecordedEvent): boolean {
    const { categories, eventTypes } = this.readModel.projection;
    return categories.includes(categoryOf(stream)) && eventTypes?.includes(type) !== false;
  }
}

/** The log from a position to `end`, in pages. The next page is read while one is processed. */
export async function* pagesUpTo(
  end: Position,
  store: ReadableStore,
  begin: Position,
  categories: readonly string[],
): AsyncGenerator<EventPage> {
  const read = (from: Position): Promise<EventPage> | undefined =>
    from < end ? prefetch(store.readAll({ after: from, categories })) : undefined;
  let after = begin;
  for (let ahead = read(after); ahead !== undefined;) {
    const { events, readTo, isLast }: EventPage = await ahead;
    if (readTo <= after) throw new Error(`The log ends at ${after}, before ${end}; check the store`);
    after = readTo < end ? readTo : end;
    ahead = read(after);
    yield { events: events.filter(({ position }) => position <= end), readTo: after, isLast };
  }
}
