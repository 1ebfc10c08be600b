import { type Finding, type LogAudit } from '@florin/audit';
import {
  type EventStore,
  newScan,
  type Position,
  type RecordedEvent,
  scanLog,
  type ScannableStore,
} from '@florin/event-sourcing';
import {
  type ReadModelDifferences,
  ReadModelsComparison,
  RecentRowsComparison,
  type RowOwner,
} from '@florin/read-models/tools';
import type { Pool } from 'pg';
import { compareSnapshots } from './compare-snapshots';
import { type ComparedReadModel, compareReadModels } from './compare-read-models';

type Store = ScannableStore & Pick<EventStore, 'readStream'>;

interface Differences {
  readonly list: readonly ReadModelDifferences[];
  /** The streams whose objects were compared; all if undefined. */
  readonly streams: Pick<ReadonlySet<string>, 'has' | 'size'> | undefined;
}

export interface ComparisonOptions {
  /** The stream of the only account that is compared. */
  readonly account: string | undefined;
  readonly owner: RowOwner | undefined;
  /** The audit continues an earlier one, so it does not read all events. */
  readonly isContinued: boolean;
  /** Up to where read models were compared before. */
  readonly comparedTo: Position | undefined;
}

export interface ComparedTables {
  readonly readModels: readonly ComparedReadModel[];
  readonly snapshotFlaws: readonly Finding[];
  /** All read models were compared up to here, by this audit or those that it continues. */
  readonly comparedTo: Position | undefined;
  readonly notProven: readonly string[];
}

/** Compares read models and snapshots with the log: all rows, or those of the objects with events after the last comparison. */
export class CopiesComparison {
  private constructor(
    private readonly store: Store,
    private readonly pool: Pool,
    private readonly options: ComparisonOptions,
    private readonly whole: ReadModelsComparison | undefined,
  ) {}

  /** Call it before the scan of the log. */
  static async start(store: Store, pool: Pool, options: ComparisonOptions): Promise<CopiesComparison> {
    const { isContinued, owner } = options;
    const whole = isContinued ? undefined : await ReadModelsComparison.start(pool, owner);
    return new CopiesComparison(store, pool, options, whole);
  }

  add(event: RecordedEvent): void {
    this.whole?.add(event);
  }

  afterPage(): Promise<void> | undefined {
    return this.whole?.afterPage();
  }

  async finish(audit: LogAudit): Promise<ComparedTables> {
    const { store, pool } = this;
    const { account, comparedTo } = this.options;
    const { list, streams } = await this.differences();
    const readModels = await compareReadModels(audit, list, { store, pool }, account);
    const snapshotFlaws = await compareSnapshots(store, pool, account, streams);
    const reached = readModels.map(({ behindAt, isRebuilt }) => (isRebuilt ? comparedTo : (behindAt ?? audit.head)));
    const known = reached.filter((position) => position !== undefined);
    return {
      readModels,
      snapshotFlaws,
      comparedTo: known.length < reached.length ? undefined : known.reduce((min, each) => (each < min ? each : min)),
      notProven: streams === undefined ? [] : [notCompared(streams.size, comparedTo!)],
    };
  }

  private async differences(): Promise<Differences> {
    const { store, pool, whole } = this;
    const { owner, comparedTo } = this.options;
    if (whole !== undefined) return { list: await whole.finish(store), streams: undefined };
    if (comparedTo === undefined) return { list: await this.compareAll(), streams: undefined };
    const recent = new RecentRowsComparison(pool, owner);
    const scan = { ...newScan(), readTo: comparedTo };
    const { head } = await scanLog(store, (event) => recent.add(event), undefined, undefined, scan);
    return { list: await recent.finish(store, head), streams: recent.streams };
  }

  /** The interrupted audit that this one continues has compared nothing. */
  private async compareAll(): Promise<readonly ReadModelDifferences[]> {
    const comparison = await ReadModelsComparison.start(this.pool, this.options.owner);
    await scanLog(
      this.store,
      (event) => comparison.add(event),
      () => comparison.afterPage(),
    );
    return comparison.finish(this.store);
  }
}

function notCompared(streams: number, comparedTo: Position): string {
  return (
    `Rows of read models and snapshots were compared for the ${streams} streams with events after position ${comparedTo}, and all statements and ` +
    'operations by their totals and states. Other rows were compared by earlier runs: a change in them since then, or a row that the ' +
    'log does not have, is found only by a run without --since.'
  );
}
