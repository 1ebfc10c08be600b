/** The stalled operations, for the watchdog. */
export interface UnfinishedOperations {
  /**
   * Ids of operations that Florin has to advance and that have not changed since `before`, the longest-waiting first:
   * queued, processing, or resolved by an operator and not yet ended.
   */
  unchangedSince(before: Date, limit: number): Promise<readonly string[]>;
}

export const UNFINISHED_OPERATIONS = Symbol('UnfinishedOperations');
