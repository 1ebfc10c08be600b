import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Cell } from './export-columns';
import type { ExportRow } from './export-tables';

/** Text that a spreadsheet would run as a formula. */
const formula = /^[=+\-@\t\r]/;
const number = /^-?\d+(\.\d+)?$/;
const needsQuotes = /[",\r\n]/;

const bufferedCharacters = 256 * 1024;

/** One table as `<name>.csv` (RFC 4180) and `<name>.json`, written row by row. */
export class TableFiles {
  private readonly csv: BufferedFile;
  private readonly json: BufferedFile;
  count = 0;

  constructor(
    folder: string,
    readonly name: string,
    private readonly columns: readonly string[],
  ) {
    this.csv = new BufferedFile(join(folder, `${name}.csv`));
    this.json = new BufferedFile(join(folder, `${name}.json`));
    this.csv.write(`${columns.join(',')}\r\n`);
    this.json.write('[');
  }

  add(row: ExportRow): void {
    const cells = this.columns.map((column) => row[column] ?? null);
    this.csv.write(`${cells.map(csvCell).join(',')}\r\n`);
    const members = Object.fromEntries(this.columns.map((column, index) => [column, cells[index]]));
    this.json.write(`${this.count === 0 ? '' : ','}\n${JSON.stringify(members)}`);
    this.count += 1;
  }

  close(): void {
    this.json.write('\n]\n');
    this.csv.close();
    this.json.close();
  }
}

function csvCell(cell: Cell): string {
  if (cell === null) return '';
  const text = String(cell);
  const safe = formula.test(text) && !number.test(text) ? `'${text}` : text;
  return needsQuotes.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

class BufferedFile {
  private readonly file: number;
  private buffered = '';

  constructor(path: string) {
    this.file = openSync(path, 'wx', 0o640);
  }

  write(text: string): void {
    this.buffered += text;
    if (this.buffered.length >= bufferedCharacters) this.flush();
  }

  close(): void {
    this.flush();
    closeSync(this.file);
  }

  private flush(): void {
    writeSync(this.file, this.buffered);
    this.buffered = '';
  }
}
