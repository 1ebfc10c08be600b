import { beforeFirst, categoryOf, type EventStore, type Position, type RecordedEvent } from '@florin/event-sourcing';
import { isDeepStrictEqual } from 'node:util';
import type { Pool, PoolClient } from 'pg';
import { type RowFinding, RowFindings, type TableComparison } from './compare-tables';
import type { ReadModelFold } from './folded-table';
import { comparedProjections, readModelFolds } from './read-model-folds';
import {
  type Checkpoints,
  completeUpTo,
  isAfter,
  isProcessed,
  minimum,
  readCheckpoints,
  readSetAside,
  reportIfUnreadable,
  type SetAside,
  type Shards,
} from './projection-positions';
import { refoldStreams } from './refold-streams';
import { comparisonOf } from './forgetting-comparison';
import { tableColumns } from './table-cells';
import type { RowOwner } from './table-reader';

export interface ReadModelDifferences {
  readonly name: string;
  /** The tables reflect all events up to here. They were compared with all events that they reflect. */
  readonly reached: Position;
  /** The read model was rebuilt during the comparison, so it was not compared. */
  readonly isRebuilt: boolean;
  readonly findings: readonly RowFinding[];
}

interface Compared {
  readonly name: string;
  readonly eventTypes: ReadonlySet<string> | undefined;
  readonly fold: ReadModelFold;
  readonly tables: readonly TableComparison[];
  readonly findings: RowFindings;
  readonly setAside: SetAside;
  /** Up to where its events have been folded. */
  folded: Shards;
}

/**
 * Compares every row of every read model with the log, folded by the code of the projections. It therefore finds changed
 * tables and not the defects of a projection.
 *
 * Read models move on meanwhile. So events are folded up to the checkpoints as of the start, then the tables are frozen in
 * the snapshot of a transaction, together with their checkpoints, and the few events in between are added. It only reads.
 */
export class ReadModelsComparison {
  private readonly byCategory = new Map<string, Compared[]>();
  /** Remembers the result of `interestedIn`, by category and type. */
  private readonly interested = new Map<string, Map<string, readonly Compared[]>>();
  /** Those with events that were set aside. */
  private readonly withSetAside: readonly Compared[];
  /** The comparison of earlier pages, which runs while the next page is read. */
  private comparing: Promise<void> = Promise.resolve();

  private constructor(
    private readonly pool: Pool,
    private readonly compared: readonly Compared[],
    private readonly owner: RowOwner | undefined,
  ) {
    this.withSetAside = owner === undefined ? compared.filter(({ setAside }) => setAside.size > 0) : [];
    const categories = new Map(comparedProjections.map(({ name, categories: own }) => [name, own]));
    for (const one of compared) {
      for (const category of categories.get(one.name)!) {
        this.byCategory.set(category, [...(this.byCategory.get(category) ?? []), one]);
      }
    }
  }

  /**
   * Call it before the scan of the log, then `add` every event in order. Compares only the rows of the owner, if given, and
   * rows that may be forgotten once there are `batchSize` of them.
   */
  static start(pool: Pool, owner?: RowOwner, batchSize = 5_000): Promise<ReadModelsComparison> {
    return inSnapshot(pool, async (tx) => {
      const columns = await tableColumns(tx);
      const checkpoints = await readCheckpoints(tx);
      const allSetAside = await readSetAside(tx);
      const compared = comparedProjections.map(({ name, eventTypes }): Compared => {
        const fold = readModelFolds[name]!();
        const findings = new RowFindings(name);
        const tables = fold.tables.map((table) =>
          comparisonOf(table, columns.get(table.name)!, findings, owner, batchSize),
        );
        const folded = checkpoints.get(name) ?? [];
        const setAside = allSetAside.get(name) ?? new Map();
        return { name, eventTypes: eventTypes && new Set(eventTypes), fold, tables, findings, folded, setAside };
      });
      return new ReadModelsComparison(pool, compared, owner);
    });
  }

  add(event: RecordedEvent): void {
    for (const one of this.withSetAside) reportIfUnreadable(event, one);
    for (const one of this.interestedIn(event)) {
      if (isProcessed(event, one.folded, one.setAside)) this.apply(one, event);
    }
  }

  /** Call it after each page, to bound memory. */
  async afterPage(): Promise<void> {
    await this.comparing;
    if (!this.compared.some(({ tables }) => tables.some(({ isDue }) => isDue))) return;
    this.comparing = inSnapshot(this.pool, (tx) => this.compareSoFar(tx));
    // The next call reports it.
    this.comparing.catch(() => undefined);
  }

  /** Call it once, after the scan. */
  async finish(store: Pick<EventStore, 'head' | 'readAll' | 'readStream'>): Promise<readonly ReadModelDifferences[]> {
    await this.comparing;
    return inSnapshot(this.pool, async (tx) => {
      const checkpoints = await readCheckpoints(tx);
      const allSetAside = await readSetAside(tx);
      // Streams that were caught up meanwhile have rows of events that were not folded.
      const rebuilt = new Set(
        this.compared.filter(
          ({ name, folded, setAside }) =>
            !isAfter(checkpoints.get(name) ?? [], folded) ||
            !isDeepStrictEqual(allSetAside.get(name) ?? new Map(), setAside),
        ),
      );
      const head = await store.head();
      await this.addMissing(store, checkpoints, head, tx);
      await this.compareSoFar(tx);
      const differences: ReadModelDifferences[] = [];
      for (const one of this.compared) {
        const { name, fold, tables, findings } = one;
        const reached = completeUpTo(one.folded, one.setAside);
        if (rebuilt.has(one)) {
          differences.push({ name, reached, isRebuilt: true, findings: [] });
          continue;
        }
        const highest = one.folded.reduce((max, position) => (position > max ? position : max), beforeFirst);
        if (highest > head) findings.add(name, `it reflects position ${highest}, but the log ends at ${head}`);
        fold.complete?.();
        for (const table of tables) await table.compareAll(tx);
        differences.push({ name, reached, isRebuilt: false, findings: findings.close() });
      }
      return differences;
    });
  }

  private async compareSoFar(tx: PoolClient): Promise<void> {
    for (const table of this.compared.flatMap(({ tables }) => tables)) {
      await table.compareAppended(tx);
      await table.forgetAgreed(tx);
    }
  }

  /** Adds the events that the read models have processed since the start. */
  private async addMissing(
    store: Pick<EventStore, 'readAll' | 'readStream'>,
    checkpoints: Checkpoints,
    head: Position,
    tx: PoolClient,
  ): Promise<void> {
    const moved = this.compared.filter((one) => isAfter(checkpoints.get(one.name) ?? [], one.folded));
    const before = new Map(moved.map((one) => [one, one.folded]));
    for (const one of moved) one.folded = checkpoints.get(one.name) ?? [];
    const ranges = moved.flatMap((one) =>
      one.folded
        .map((to, shard) => ({ from: before.get(one)![shard] ?? beforeFirst, to }))
        .filter(({ from, to }) => to > from),
    );
    if (ranges.length === 0) return;
    const to = minimum(
      ranges.reduce((max, range) => (range.to > max ? range.to : max), beforeFirst),
      head,
    );
    const changed = new Map(moved.map((one) => [one, new Set<string>()]));
    let after = ranges.reduce((min, range) => minimum(min, range.from), to);
    while (after < to) {
      const page = await store.readAll({ after, categories: [...this.byCategory.keys()] });
      if (page.readTo <= after) return;
      for (const event of page.events) {
        for (const one of this.interestedIn(event)) {
          const known = before.get(one);
          if (known === undefined || isProcessed(event, known, one.setAside)) continue;
          if (!isProcessed(event, one.folded, one.setAside)) continue;
          changed.get(one)!.add(event.stream);
          this.apply(one, event);
        }
      }
      await this.compareSoFar(tx);
      after = page.readTo;
    }
    for (const [one, streams] of changed) await refoldStreams(one, streams, store);
  }

  /** With an owner, events of others do not matter, and the audit itself reports those that it cannot read. */
  private apply({ name, fold, findings }: Compared, event: RecordedEvent): void {
    try {
      fold.apply(event);
    } catch (error) {
      if (this.owner !== undefined) return;
      const reason = error instanceof Error ? error.message : String(error);
      findings.add(`${event.stream}@${event.revision}`, `${event.type} cannot be projected to ${name}: ${reason}`);
    }
  }

  private interestedIn({ stream, type }: RecordedEvent): readonly Compared[] {
    const category = categoryOf(stream);
    let byType = this.interested.get(category);
    if (byType === undefined) this.interested.set(category, (byType = new Map()));
    let interested = byType.get(type);
    if (interested === undefined) {
      const ofCategory = this.byCategory.get(category) ?? [];
      interested = ofCategory.filter(({ eventTypes }) => eventTypes === undefined || eventTypes.has(type));
      byType.set(type, interested);
    }
    return interested;
  }
}

const comparedTables = comparedProjections
  .flatMap(({ name }) => readModelFolds[name]!().tables)
  .map(({ name }) => `read_models.${name}`);

export async function inSnapshot<Result>(pool: Pool, work: (tx: PoolClient) => Promise<Result>): Promise<Result> {
  const tx = await pool.connect();
  try {
    await tx.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    // Before the snapshot is taken: a replay that replaced a table later would show one whose rows the snapshot lacks.
    await tx.query(`LOCK TABLE ${comparedTables.join(', ')} IN ACCESS SHARE MODE`);
    const result = await work(tx);
    await tx.query('COMMIT');
    tx.release();
    return result;
  } catch (error) {
    // Discards the connection and with it the transaction.
    tx.release(true);
    throw error;
  }
}
