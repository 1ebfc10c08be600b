import type { DatabaseConnection } from '@florin/database';

export interface BenchContext {
  /** A fresh database with every migration applied, on a server that fsyncs like any other. */
  createDatabase(): Promise<DatabaseConnection>;
  /** How long one run of one contestant lasts. */
  readonly durationMs: number;
  /** How many runs the median is taken of. */
  readonly rounds: number;
  progress(message: string): void;
}

/** One line of the table. The names of the figures are its columns; they name their units. */
export interface BenchRow {
  readonly what: string;
  readonly figures: Readonly<Record<string, number>>;
}

export interface Bench {
  readonly name: string;
  readonly title: string;
  run(context: BenchContext): Promise<readonly BenchRow[]>;
}
