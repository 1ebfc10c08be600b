import type { PoolClient } from 'pg';
import type { FoldedRow } from '../folded-rows';
import { missingRow, type RowFindings, TableComparison, unknownRow } from './compare-tables';
import type { ForgottenRows } from './forgotten-rows';
import type { FoldedTable } from './folded-table';
import type { TableColumn } from './table-cells';
import { type Cells, pageSize, type RowOwner } from './table-reader';

export function comparisonOf(
  table: FoldedTable,
  columns: readonly TableColumn[],
  findings: RowFindings,
  owner: RowOwner | undefined,
  batchSize = Infinity,
): TableComparison {
  const { forgotten } = table;
  return forgotten === undefined
    ? new TableComparison(table, columns, findings, owner)
    : new ForgettingComparison(table, forgotten, batchSize, columns, findings, owner);
}

/** A row that an event has changed whose earlier events were not folded, or were forgotten. */
export function isPartial(row: object): boolean {
  return (row as Partial<FoldedRow>).isWhole === false;
}

/**
 * Compares a table that may have millions of rows. A row that agrees with the table contains all events that the table has, by
 * its revision, so memory keeps only its id. At the end, memory has the rows that differ and those with newer events.
 */
class ForgettingComparison extends TableComparison {
  /** The number of rows that agree with the table. */
  private agreed = 0;
  /** Rows are compared once there are so many. */
  private nextAt: number;

  constructor(
    table: FoldedTable,
    private readonly forgotten: ForgottenRows,
    private readonly batchSize: number,
    columns: readonly TableColumn[],
    findings: RowFindings,
    owner: RowOwner | undefined,
  ) {
    super(table, columns, findings, owner);
    this.nextAt = batchSize;
  }

  override get isDue(): boolean {
    return this.table.rows.size >= this.nextAt;
  }

  override async forgetAgreed(tx: PoolClient): Promise<void> {
    if (!this.isDue) return;
    const { rows } = this.table;
    const ids = [...rows.keys()];
    for (let from = 0; from < ids.length; from += pageSize) await this.forgetPage(ids.slice(from, from + pageSize), tx);
    // Rows that differ are compared again, but not each time.
    this.nextAt = rows.size * 2 + this.batchSize;
  }

  override async compareAll(tx: PoolClient): Promise<void> {
    if (this.owner !== undefined && !this.hasOwner) return;
    const { ids, refolded } = this.forgotten;
    let known = this.agreed;
    for (const page of this.pages()) {
      const found = await this.reader.find(page, this.table.key, tx);
      for (const row of page) {
        const key = this.reader.keyOf(row);
        if (ids.has(key) && !refolded.has(key)) this.compareRevision(key, row as FoldedRow, found.get(key));
        else if (this.isOwned(row) && this.compareFound(row, found) && !ids.has(key)) known += 1;
      }
    }
    if ((await this.reader.count(tx)) > known) await this.findUnknownRows(tx);
  }

  /** Of a row that agreed with the table before this event. A read model that has processed the event has its revision. */
  private compareRevision(key: string, row: FoldedRow, cells: Cells | undefined): void {
    if (cells === undefined) {
      if (this.owner === undefined) this.findings.add(this.at(key), missingRow);
    } else if (this.isOwnedIn(cells) && this.isBehind(row, cells)) {
      for (const difference of this.differences(row, cells, 'revision')) this.findings.add(this.at(key), difference);
    }
  }

  private isBehind({ revision }: FoldedRow, cells: Cells): boolean {
    return Number(this.reader.cellIn(cells, 'revision')) < revision;
  }

  private async forgetPage(ids: readonly string[], tx: PoolClient): Promise<void> {
    const { rows, key: by } = this.table;
    const compared = ids.filter((id) => !isPartial(rows.get(id)!) && this.isOwned(rows.get(id)!));
    const wanted = compared.map((id) => rows.get(id)!);
    const texts = await this.reader.findTexts(wanted, by, tx);
    const found = new Map(compared.map((id, index) => [id, texts[index]]));
    const withoutText: object[] = [];
    this.forgetIf(ids, (id, row) => {
      const text = this.reader.textOf(row);
      if (text === undefined) withoutText.push(row);
      return text !== undefined && text === found.get(id);
    });
    if (withoutText.length > 0) await this.forgetByCells(withoutText, tx);
  }

  private async forgetByCells(wanted: readonly object[], tx: PoolClient): Promise<void> {
    const found = await this.reader.find(wanted, this.table.key, tx);
    this.forgetIf(
      wanted.map((row) => this.reader.keyOf(row)),
      (id, row) => {
        const cells = found.get(id);
        return cells !== undefined && this.differences(row, cells).next().done === true;
      },
    );
  }

  /** Rows as they are now: events may have changed them while a query ran. */
  private forgetIf(ids: readonly string[], isAgreed: (id: string, row: object) => boolean): void {
    const { rows } = this.table;
    for (const id of ids) {
      const row = rows.get(id)!;
      if (isPartial(row) || !this.forgotten.isSettled(row)) continue;
      const isOwned = this.isOwned(row);
      if (isOwned && !isAgreed(id, row)) continue;
      rows.delete(id);
      this.forgotten.ids.add(id);
      if (isOwned) this.agreed += 1;
    }
  }

  private *pages(): Generator<readonly object[]> {
    const all = [...this.table.rows.values()];
    for (let from = 0; from < all.length; from += pageSize) yield all.slice(from, from + pageSize);
  }

  private async findUnknownRows(tx: PoolClient): Promise<void> {
    for await (const cells of this.reader.all(tx)) {
      const key = this.reader.keyIn(cells);
      if (!this.table.rows.has(key) && !this.forgotten.ids.has(key)) this.findings.add(this.at(key), unknownRow);
    }
  }
}
