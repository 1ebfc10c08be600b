import type { DatabaseConnection } from '@florin/database';

export interface BenchContext {
  /** Creates a database with all migrations applied, on a server with fsync on. */
  createDatabase(): Promise<DatabaseConnection>;
  /** Duration of one run of one contestant. */
  readonly durationMs: number;
  /** Number of runs that the median is taken of. */
  readonly rounds: number;
  /** Numbers of events, in millions and ascending. */
  readonly millions: readonly number[];
  progress(message: string): void;
}

/** One row of the table. The names of the figures are the columns and include the unit. */
export interface BenchRow {
  readonly what: string;
  readonly figures: Readonly<Record<string, number>>;
}

export interface Bench {
  readonly name: string;
  /** A former name that `--only` still accepts. */
  readonly alias?: string;
  readonly title: string;
  run(context: BenchContext): Promise<readonly BenchRow[]>;
}
