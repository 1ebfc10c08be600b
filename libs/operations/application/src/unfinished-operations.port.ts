/** Where the watchdog looks for operations that have not moved for a while. */
export interface UnfinishedOperations {
  /** Ids of operations that are queued or processing and have not changed since `before`, the longest-waiting first. */
  notMovedSince(before: Date, limit: number): Promise<readonly string[]>;
}

export const UNFINISHED_OPERATIONS = Symbol('UnfinishedOperations');
