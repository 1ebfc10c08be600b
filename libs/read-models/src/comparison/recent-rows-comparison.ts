import { beforeFirst, categoryOf, type EventStore, type Position, type RecordedEvent } from '@florin/event-sourcing';
import { accountAggregate } from '@florin/ledger-domain';
import { operationAggregate } from '@florin/operations-domain';
import type { Pool, PoolClient } from 'pg';
import { operationsProjection } from '../operations/operations.projection';
import { RowFindings, type TableComparison } from './compare-tables';
import type { ReadModelFold } from './folded-table';
import { comparedProjections, readModelFolds } from './read-model-folds';
import {
  completeUpTo,
  isProcessed,
  minimum,
  readCheckpoints,
  readSetAside,
  reportIfUnreadable,
  type SetAside,
  type Shards,
} from './projection-positions';
import { inSnapshot, type ReadModelDifferences } from './read-models-comparison';
import { comparisonOf } from './forgetting-comparison';
import { tableColumns } from './table-cells';
import type { RowOwner } from './table-reader';

interface Compared {
  readonly name: string;
  readonly categories: ReadonlySet<string>;
  readonly eventTypes: ReadonlySet<string> | undefined;
  readonly fold: ReadModelFold;
  readonly tables: readonly TableComparison[];
  readonly findings: RowFindings;
  readonly folded: Shards;
  readonly setAside: SetAside;
}

/**
 * Compares the rows of the objects that have new events, each with all events of its stream. Of accounts, whose streams are
 * long, it compares only the new entries: entries never change. It does not find rows of objects without new events, and rows
 * that the log does not have.
 */
export class RecentRowsComparison {
  /** The first new revision of each stream with new events. */
  private readonly firstNew = new Map<string, number>();

  /** Compares only the rows of the owner, if given. */
  constructor(
    private readonly pool: Pool,
    private readonly owner?: RowOwner,
  ) {}

  /** The streams with new events. */
  get streams(): Pick<ReadonlySet<string>, 'has' | 'size'> {
    return this.firstNew;
  }

  /** Call it with each new event. */
  add({ stream, revision }: RecordedEvent): void {
    if (!this.firstNew.has(stream)) this.firstNew.set(stream, revision);
  }

  /** Call it once, after the new events up to `readTo`. Read models may have processed more of them meanwhile. */
  finish(
    store: Pick<EventStore, 'head' | 'readAll' | 'readStream'>,
    readTo: Position,
  ): Promise<readonly ReadModelDifferences[]> {
    return inSnapshot(this.pool, async (tx) => {
      const compared = await this.open(tx);
      const head = await store.head();
      const newest = compared.flatMap(({ folded }) => folded).reduce((max, each) => (each > max ? each : max), readTo);
      await this.addUpTo(store, readTo, minimum(newest, head));
      for (const [stream, firstNew] of this.firstNew) await this.foldStream(store, stream, firstNew, compared, tx);
      const differences: ReadModelDifferences[] = [];
      for (const one of compared) differences.push(await finishOne(one, head, tx));
      return differences;
    });
  }

  private async open(tx: PoolClient): Promise<readonly Compared[]> {
    const columns = await tableColumns(tx);
    const checkpoints = await readCheckpoints(tx);
    const setAside = await readSetAside(tx);
    return comparedProjections.map(({ name, categories, eventTypes }): Compared => {
      const fold = readModelFolds[name]!();
      const findings = new RowFindings(name);
      const tables = fold.tables.map((table) => comparisonOf(table, columns.get(table.name)!, findings, this.owner));
      return {
        ...{ name, categories: new Set(categories), eventTypes: eventTypes && new Set(eventTypes) },
        ...{ fold, tables, findings, folded: checkpoints.get(name) ?? [], setAside: setAside.get(name) ?? new Map() },
      };
    });
  }

  private async addUpTo(store: Pick<EventStore, 'readAll'>, from: Position, to: Position): Promise<void> {
    for (let after = from; after < to;) {
      const { events, readTo } = await store.readAll({ after });
      if (readTo <= after) return;
      for (const event of events) if (event.position <= to) this.add(event);
      after = readTo;
    }
  }

  private async foldStream(
    store: Pick<EventStore, 'readStream'>,
    stream: string,
    firstNew: number,
    all: readonly Compared[],
    tx: PoolClient,
  ): Promise<void> {
    const category = categoryOf(stream);
    const compared = all.filter(({ categories }) => categories.has(category));
    if (compared.length === 0) return;
    const from = category === accountAggregate.category ? firstNew : 0;
    for await (const events of store.readStream(stream, from)) {
      for (const event of events) {
        if (this.owner === undefined) for (const one of compared) reportIfUnreadable(event, one);
        for (const one of compared) if (isFolded(one, event, category, firstNew)) this.apply(one, event);
      }
      for (const { tables } of compared) for (const table of tables) await table.compareAppended(tx);
    }
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
}

function isFolded(
  { name, eventTypes, folded, setAside }: Compared,
  event: RecordedEvent,
  category: string,
  firstNew: number,
): boolean {
  if (eventTypes?.has(event.type) === false || !isProcessed(event, folded, setAside)) return false;
  // An old order on a card belongs to an operation that may have no new events.
  const isOtherObject = name === operationsProjection.name && category !== operationAggregate.category;
  return event.revision >= firstNew || !isOtherObject;
}

async function finishOne(
  { name, fold, tables, findings, folded, setAside }: Compared,
  head: Position,
  tx: PoolClient,
): Promise<ReadModelDifferences> {
  const highest = folded.reduce((max, position) => (position > max ? position : max), beforeFirst);
  if (highest > head) findings.add(name, `it reflects position ${highest}, but the log ends at ${head}`);
  fold.complete?.();
  for (const table of tables) await table.compareFolded(tx);
  return { name, reached: completeUpTo(folded, setAside), isRebuilt: false, findings: findings.close() };
}
