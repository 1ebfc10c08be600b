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
