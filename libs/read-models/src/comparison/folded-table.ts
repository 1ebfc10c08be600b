import type { RecordedEvent } from '@florin/event-sourcing';
import type { ForgottenRows } from './forgotten-rows';

/** A table as the log determines it: the rows by their keys, with column names in snake case or camel case. */
export interface FoldedTable {
  readonly name: string;
  /** The columns that identify a row. */
  readonly key: readonly string[];
  readonly rows: Map<string, object>;
  /** Rows never change, so they are compared and forgotten as they come. Found by this column and those of the key. */
  readonly appendedBy?: string;
  /** Rows that agree with the table are forgotten, because there may be millions. Their key is the id in `rows`. */
  readonly forgotten?: ForgottenRows;
}

/** The tables of one projection, folded in memory by the code of the projection itself. */
export interface ReadModelFold {
  readonly tables: readonly FoldedTable[];
  apply(recorded: RecordedEvent): void;
  /** After the last event: what depends on several rows. */
  complete?(): void;
}
