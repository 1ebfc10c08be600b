import type { PoolClient } from 'pg';
import { NumberedKeys } from './numbered-keys';
import type { FoldedTable } from './folded-table';
import { sealed } from './read-model-folds';
import { cellOf, isSameCell, shownCell, type TableColumn } from './table-cells';
import { type Cells, pageSize, type RowOwner, TableReader } from './table-reader';

/** A difference between a read model and the log. `at` names the row. */
export interface RowFinding {
  readonly at: string;
  readonly text: string;
}

/** The values of these columns are not for reports. */
const hidden: Readonly<Record<string, readonly string[]>> = {
  holders: ['name', 'email', 'metadata'],
  operators: ['name', 'email', 'token_hash'],
};

/** All findings of one read model. A table that differs everywhere must not fill the memory. */
export class RowFindings {
  readonly list: RowFinding[] = [];
  private others = 0;

  constructor(
    private readonly name: string,
    private readonly max = 1_000,
  ) {}

  add(at: string, text: string): void {
    if (this.list.length < this.max) this.list.push({ at, text });
    else this.others += 1;
  }

  close(): readonly RowFinding[] {
    if (this.others === 0) return this.list;
    return [...this.list, { at: this.name, text: `and ${this.others} more differences` }];
  }
}

export const unknownRow = 'the log has no such row';
export const missingRow = 'the table lacks this row, which the log has';

/** Compares the rows of one table with those that were folded from the log. */
export class TableComparison {
  protected readonly reader: TableReader;
  /** The keys of rows that were compared as they came. */
  private readonly appended = new NumberedKeys();

  constructor(
    protected readonly table: FoldedTable,
    private readonly columns: readonly TableColumn[],
    protected readonly findings: RowFindings,
    /** Compares only the rows of this owner, and nothing if the table has no owners. */
    protected readonly owner?: RowOwner,
  ) {
    this.reader = new TableReader(table, columns, owner);
  }

  /** Whether there is anything to compare before the end. */
  get isDue(): boolean {
    return this.table.appendedBy !== undefined && this.table.rows.size > 0;
  }

  /** Compares rows that never change and forgets them. */
  async compareAppended(tx: PoolClient): Promise<void> {
    const { appendedBy, rows } = this.table;
    if (appendedBy === undefined || rows.size === 0) return;
    const all = [...rows.values()].filter((row) => this.isOwned(row));
    rows.clear();
    for (let from = 0; from < all.length; from += pageSize) {
      await this.compareAppendedPage(all.slice(from, from + pageSize), appendedBy, tx);
    }
  }

  /** Forgets rows that agree with the table, if later events cannot change them. */
  async forgetAgreed(_tx: PoolClient): Promise<void> {}

  /** Compares all other rows, in the snapshot of a transaction. */
  async compareAll(tx: PoolClient): Promise<void> {
    if (this.owner !== undefined && !this.hasOwner) return;
    if (this.table.appendedBy !== undefined) return this.findUnknown(tx);
    const expected = new Map<string, object>();
    for (const row of this.table.rows.values()) if (this.isOwned(row)) expected.set(this.reader.keyOf(row), row);
    for await (const found of this.reader.all(tx)) {
      const key = this.reader.keyIn(found);
      const row = expected.get(key);
      if (row === undefined) this.findings.add(this.at(key), unknownRow);
      else this.compareRow(key, row, found);
      expected.delete(key);
    }
    for (const key of expected.keys()) this.findings.add(this.at(key), missingRow);
  }

  /** Compares only the rows that were folded, so it does not find rows that the log does not have. */
  async compareFolded(tx: PoolClient): Promise<void> {
    const all = [...this.table.rows.values()].filter((row) => this.isOwned(row));
    for (let from = 0; from < all.length; from += pageSize) {
      const page = all.slice(from, from + pageSize);
      const found = await this.reader.find(page, this.table.key, tx);
      for (const row of page) this.compareFound(row, found);
    }
  }

  private async compareAppendedPage(page: readonly object[], appendedBy: string, tx: PoolClient): Promise<void> {
    const by = [...this.table.key, appendedBy];
    const texts = await this.reader.findTexts(page, by, tx);
    const others: object[] = [];
    for (const [index, row] of page.entries()) {
      const text = texts[index];
      if (text !== undefined && text === this.reader.textOf(row)) this.appended.add(this.reader.keyOf(row));
      else others.push(row);
    }
    if (others.length > 0) await this.compareCells(others, by, tx);
  }

  private async compareCells(rows: readonly object[], by: readonly string[], tx: PoolClient): Promise<void> {
    const found = await this.reader.find(rows, by, tx);
    const missing = rows.filter((row) => !found.has(this.reader.keyOf(row)));
    // The column of the index may have been changed: searched without it.
    for (const [key, cells] of await this.reader.find(missing, this.table.key, tx)) found.set(key, cells);
    for (const row of rows) if (this.compareFound(row, found)) this.appended.add(this.reader.keyOf(row));
  }

  /** Returns whether the table has the row. */
  protected compareFound(row: object, found: ReadonlyMap<string, Cells>): boolean {
    const key = this.reader.keyOf(row);
    const cells = found.get(key);
    if (cells === undefined) this.findings.add(this.at(key), missingRow);
    else this.compareRow(key, row, cells);
    return cells !== undefined;
  }

  /** All rows of the log were compared before. Searches rows that are not in it if the table has more than these. */
  private async findUnknown(tx: PoolClient): Promise<void> {
    if ((await this.reader.count(tx)) <= this.appended.size) return;
    const seen = new NumberedKeys();
    for await (const cells of this.reader.all(tx)) {
      const key = this.reader.keyIn(cells);
      // A table can have the key twice if the column of its index differs.
      if (!this.appended.has(key) || seen.has(key)) this.findings.add(this.at(key), unknownRow);
      else seen.add(key);
    }
  }

  private compareRow(key: string, row: object, found: Cells): void {
    for (const difference of this.differences(row, found)) this.findings.add(this.at(key), difference);
  }

  /** What differs between a row and the cells in the table, column by column. */
  protected *differences(row: object, found: Cells, only?: string): Generator<string> {
    for (let index = 0; index < this.columns.length; index++) {
      const column = this.columns[index]!;
      if (only !== undefined && column.name !== only) continue;
      const expected = cellOf(row, column);
      if (expected === sealed) continue;
      const cell = found[index] ?? null;
      if (!isSameCell(column.kind, expected, cell)) yield this.difference(column, expected, cell);
    }
  }

  private difference({ name, kind }: TableColumn, expected: string | null, found: string | null): string {
    if (hidden[this.table.name]?.includes(name)) {
      return expected === null ? `${name} has a value, but the log has none` : `${name} differs from the log`;
    }
    return `${name} is ${shownCell(kind, found)}, but the log has ${shownCell(kind, expected)}`;
  }

  protected at(key: string): string {
    return `read_models.${this.table.name} ${key}`;
  }

  protected get hasOwner(): boolean {
    return ['company_id', 'environment'].every((name) => this.columns.some((column) => column.name === name));
  }

  protected isOwned(row: object): boolean {
    return (
      this.owner === undefined || (this.hasOwner && this.isOfOwner((name) => cellOf(row, this.reader.column(name))))
    );
  }

  protected isOwnedIn(cells: Cells): boolean {
    return this.isOfOwner((name) => this.reader.cellIn(cells, name));
  }

  private isOfOwner(cell: (name: string) => unknown): boolean {
    const { owner } = this;
    return owner === undefined || (cell('company_id') === owner.companyId && cell('environment') === owner.environment);
  }
}
