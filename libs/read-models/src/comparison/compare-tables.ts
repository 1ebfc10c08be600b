import { prefetch } from '@florin/event-sourcing';
import type { PoolClient } from 'pg';
import { NumberedKeys } from './numbered-keys';
import type { FoldedTable } from './folded-table';
import { sealed } from './read-model-folds';
import { cellOf, isSameCell, shownCell, type TableColumn } from './table-cells';

/** A difference between a read model and the log. `at` names the row. */
export interface RowFinding {
  readonly at: string;
  readonly text: string;
}

export interface RowOwner {
  readonly companyId: string;
  readonly environment: string;
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

export const pageSize = 2_000;
export const unknownRow = 'the log has no such row';
export const missingRow = 'the table lacks this row, which the log has';

export type Cells = readonly (string | null)[];

/** All rows of a query, read in pages. The next page is read meanwhile. */
async function* cursor(tx: PoolClient, query: string, values: string[]): AsyncGenerator<Cells> {
  await tx.query(`DECLARE compared NO SCROLL CURSOR FOR ${query}`, values);
  const fetch = () =>
    prefetch(tx.query<(string | null)[]>({ text: `FETCH ${pageSize} FROM compared`, rowMode: 'array' }));
  for (let ahead = fetch(); ;) {
    const { rows } = await ahead;
    ahead = fetch();
    yield* rows;
    if (rows.length < pageSize) break;
  }
  await tx.query('CLOSE compared');
}

/** Compares the rows of one table with those that were folded from the log. */
export class TableComparison {
  private readonly keyColumns: readonly TableColumn[];
  private readonly keyIndexes: readonly number[];
  private readonly cells: string;
  /** The keys of rows that were compared as they came. */
  private readonly appended = new NumberedKeys();

  constructor(
    protected readonly table: FoldedTable,
    private readonly columns: readonly TableColumn[],
    protected readonly findings: RowFindings,
    /** Compares only the rows of this owner, and nothing if the table has no owners. */
    protected readonly owner?: RowOwner,
  ) {
    this.keyColumns = table.key.map((name) => this.column(name));
    this.keyIndexes = this.keyColumns.map((column) => columns.indexOf(column));
    this.cells = columns.map(({ expression }) => expression).join(', ');
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
    for (const row of this.table.rows.values()) if (this.isOwned(row)) expected.set(this.keyOf(row), row);
    for await (const found of this.rowsIn(tx)) {
      const key = this.keyIn(found);
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
      const found = await this.find(page, this.table.key, tx);
      for (const row of page) this.compareFound(row, found);
    }
  }

  private async compareAppendedPage(page: readonly object[], appendedBy: string, tx: PoolClient): Promise<void> {
    const found = await this.find(page, [...this.table.key, appendedBy], tx);
    const missing = page.filter((row) => !found.has(this.keyOf(row)));
    // The column of the index may have been changed: searched without it.
    for (const [key, cells] of await this.find(missing, this.table.key, tx)) found.set(key, cells);
    for (const row of page) if (this.compareFound(row, found)) this.appended.add(this.keyOf(row));
  }

  /** Returns whether the table has the row. */
  protected compareFound(row: object, found: ReadonlyMap<string, Cells>): boolean {
    const key = this.keyOf(row);
    const cells = found.get(key);
    if (cells === undefined) this.findings.add(this.at(key), missingRow);
    else this.compareRow(key, row, cells);
    return cells !== undefined;
  }

  protected async find(rows: readonly object[], by: readonly string[], tx: PoolClient): Promise<Map<string, Cells>> {
    if (rows.length === 0) return new Map();
    const parameters = by.map((name, index) => `$${index + 1}::${this.column(name).type}[]`);
    const text = `
      SELECT ${this.cells} FROM unnest(${parameters.join(', ')}) AS wanted (${by.join(', ')})
      JOIN read_models.${this.table.name} AS row USING (${by.join(', ')})`;
    const values = by.map((name) => {
      const { property } = this.column(name);
      return (rows as readonly Readonly<Record<string, string>>[]).map((row) => row[name] ?? row[property]);
    });
    const result = await tx.query<(string | null)[]>({ text, values, rowMode: 'array' });
    return new Map(result.rows.map((cells) => [this.keyIn(cells), cells]));
  }

  /** All rows of the log were compared before. Searches rows that are not in it if the table has more than these. */
  private async findUnknown(tx: PoolClient): Promise<void> {
    if ((await this.countRows(tx)) <= this.appended.size) return;
    for await (const cells of this.rowsIn(tx)) {
      const key = this.keyIn(cells);
      if (!this.appended.has(key)) this.findings.add(this.at(key), unknownRow);
    }
  }

  protected async countRows(tx: PoolClient): Promise<number> {
    const { rows } = await tx.query<{ count: string }>(`SELECT count(*) ${this.from}`, this.fromValues);
    return Number(rows[0]!.count);
  }

  protected rowsIn(tx: PoolClient): AsyncGenerator<Cells> {
    return cursor(tx, `SELECT ${this.cells} ${this.from}`, this.fromValues);
  }

  private get from(): string {
    const narrowing = this.owner === undefined ? '' : 'WHERE row.company_id::text = $1 AND row.environment = $2';
    return `FROM read_models.${this.table.name} AS row ${narrowing}`;
  }

  private get fromValues(): string[] {
    return this.owner === undefined ? [] : [this.owner.companyId, this.owner.environment];
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

  protected keyOf(row: object): string {
    return this.keyColumns.map((column) => String(cellOf(row, column))).join(' ');
  }

  protected keyIn(cells: Cells): string {
    return this.keyIndexes.map((index) => cells[index]!).join(' ');
  }

  protected get hasOwner(): boolean {
    return ['company_id', 'environment'].every((name) => this.columns.some((column) => column.name === name));
  }

  protected isOwned(row: object): boolean {
    return this.owner === undefined || (this.hasOwner && this.isOfOwner((name) => cellOf(row, this.column(name))));
  }

  protected isOwnedIn(cells: Cells): boolean {
    return this.isOfOwner((name) => this.cellIn(cells, name));
  }

  protected cellIn(cells: Cells, name: string): string | null {
    return cells[this.columns.indexOf(this.column(name))]!;
  }

  private isOfOwner(cell: (name: string) => unknown): boolean {
    const { owner } = this;
    return owner === undefined || (cell('company_id') === owner.companyId && cell('environment') === owner.environment);
  }

  private column(name: string): TableColumn {
    const column = this.columns.find((candidate) => candidate.name === name);
    if (column === undefined) throw new Error(`read_models.${this.table.name} has no column ${name}`);
    return column;
  }
}
