import { DatabaseError } from 'pg';

const uniqueViolation = '23505';
const revisionNotReached = 'FL001';
const revisionArchived = 'FL004';

/** True when nothing was stored because at least one stream of the batch has another revision than expected. */
export function isRevisionConflict(error: unknown): boolean {
  if (!(error instanceof DatabaseError)) return false;
  return (
    error.code === revisionNotReached ||
    error.code === revisionArchived ||
    (error.code === uniqueViolation && error.constraint === 'events_stream_revision')
  );
}

const logMoved = 'FL005';

/** True when nothing was stored because `florin log copy` has moved the log of this database to another store. */
export function isMovedLog(error: unknown): error is DatabaseError {
  return error instanceof DatabaseError && error.code === logMoved;
}
