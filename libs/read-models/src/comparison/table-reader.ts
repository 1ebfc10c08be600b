import { prefetch } from '@florin/event-sourcing';
import type { PoolClient } from 'pg';
import type { FoldedTable } from './folded-table';
import { RowTexts } from './row-texts';
import { cellOf, type TableColumn } from './table-cells';

export interface RowOwner {
  readonly companyId: string;
  readonly environment: string;
}

export type Cells = readonly (string | null)[];

export const pageSize = 2_000;

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

/** Reads the rows of one table: as cells in the form of `cellOf`, or as one text each. */
export class TableReader {
  private readonly keyColumns: readonly TableColumn[];
  private readonly keyIndexes: readonly number[];
  private readonly cells: string;
  private readonly texts: RowTexts;

  constructor(
    private readonly table: FoldedTable,
    readonly columns: readonly TableColumn[],
    /** Of all rows and their number, only those of this owner. */
    private readonly owner: RowOwner | undefined,
  ) {
    this.keyColumns = table.key.map((name) => this.column(name));
    this.keyIndexes = this.keyColumns.map((column) => columns.indexOf(column));
    this.cells = columns.map(({ expression }) => expression).join(', ');
    this.texts = new RowTexts(columns);
  }

  column(name: string): TableColumn {
    const column = this.columns.find((candidate) => candidate.name === name);
    if (column === undefined) throw new Error(`read_models.${this.table.name} has no column ${name}`);
    return column;
  }

  keyOf(row: object): string {
    return this.keyColumns.map((column) => String(cellOf(row, column))).join(' ');
  }

  keyIn(cells: Cells): string {
    return this.keyIndexes.map((index) => cells[index]!).join(' ');
  }

  cellIn(cells: Cells, name: string): string | null {
    return cells[this.columns.indexOf(this.column(name))]!;
  }

  /** See `RowTexts`. */
  textOf(row: object): string | undefined {
    return this.texts.textOf(row);
  }

  /** The rows that have the same values in these columns, by their keys. */
  async find(rows: readonly object[], by: readonly string[], tx: PoolClient): Promise<Map<string, Cells>> {
    const found = await this.join(rows, by, this.cells, tx);
    return new Map(found.map((cells) => [this.keyIn(cells), cells]));
  }

  /** Like `find`, but the texts, in the order of the rows; undefined for those that were not found. */
  async findTexts(
    rows: readonly object[],
    by: readonly string[],
    tx: PoolClient,
  ): Promise<readonly (string | undefined)[]> {
    const texts = Array.from<string | undefined>({ length: rows.length });
    for (const [number, text] of await this.join(rows, by, `wanted.number::text, ${this.texts.expression}`, tx)) {
      texts[Number(number) - 1] = text!;
    }
    return texts;
  }

  async count(tx: PoolClient): Promise<number> {
    const { rows } = await tx.query<{ count: string }>(`SELECT count(*) ${this.from}`, this.fromValues);
    return Number(rows[0]!.count);
  }

  all(tx: PoolClient): AsyncGenerator<Cells> {
    return cursor(tx, `SELECT ${this.cells} ${this.from}`, this.fromValues);
  }

  private async join(
    rows: readonly object[],
    by: readonly string[],
    selected: string,
    tx: PoolClient,
  ): Promise<readonly Cells[]> {
    if (rows.length === 0) return [];
    const parameters = by.map((name, index) => `$${index + 1}::${this.column(name).type}[]`);
    const text = `
      SELECT ${selected}
      FROM unnest(${parameters.join(', ')}) WITH ORDINALITY AS wanted (${by.join(', ')}, number)
      JOIN read_models.${this.table.name} AS row USING (${by.join(', ')})`;
    const values = by.map((name) => {
      const { property } = this.column(name);
      return (rows as readonly Readonly<Record<string, string>>[]).map((row) => row[name] ?? row[property]);
    });
    const result = await tx.query<(string | null)[]>({ text, values, rowMode: 'array' });
    return result.rows;
  }

  private get from(): string {
    const narrowing = this.owner === undefined ? '' : 'WHERE row.company_id::text = $1 AND row.environment = $2';
    return `FROM read_models.${this.table.name} AS row ${narrowing}`;
  }

  private get fromValues(): string[] {
    return this.owner === undefined ? [] : [this.owner.companyId, this.owner.environment];
  }
}
