import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { dirname } from 'node:path';
import type { Bench, BenchRow } from './bench';

export interface BenchResult {
  readonly bench: Pick<Bench, 'name' | 'title'>;
  readonly rows: readonly BenchRow[];
}

/** A plain-text table with right-aligned figures below their names. */
export function asTable({ bench, rows }: BenchResult): string {
  const columns = [...new Set(rows.flatMap(({ figures }) => Object.keys(figures)))];
  const lines = [
    ['', ...columns],
    ...rows.map(({ what, figures }) => [what, ...columns.map((column) => formatFigure(figures[column]))]),
  ];
  const widths = ['', ...columns].map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  const text = lines.map((line) =>
    line
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
      .join('  '),
  );
  return [bench.title, ...text].join('\n');
}

function formatFigure(figure: number | undefined): string {
  if (figure === undefined) return '';
  return figure >= 1_000 ? Math.round(figure).toLocaleString('en-US') : figure.toPrecision(3);
}

export function writeJson(file: string, results: readonly BenchResult[]): void {
  const machine = { node: process.version, cpu: cpus()[0]?.model, cores: cpus().length, memoryBytes: totalmem() };
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify({ takenAt: new Date().toISOString(), machine, results }, undefined, 2)}\n`);
}
