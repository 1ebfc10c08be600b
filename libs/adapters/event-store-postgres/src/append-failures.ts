import { DatabaseError } from 'pg';

const uniqueViolation = '23505';
const revisionNotReached = 'FL001';

/** True when nothing was stored because at least one stream of the batch stands elsewhere than expected. */
export function isRevisionClash(error: unknown): boolean {
  if (!(error instanceof DatabaseError)) return false;
  return (
    error.code === revisionNotReached ||
    (error.code === uniqueViolation && error.constraint === 'events_stream_revision')
  );
}

/** The database was not reached: nothing was stored, and it is safe to try again. */
export class EventStoreUnreachable extends Error {
  constructor(cause: unknown) {
    super('The event store cannot be reached, nothing was stored; check that the database runs, and try again', {
      cause,
    });
    this.name = 'EventStoreUnreachable';
  }
}

/** The append was under way when something failed. */
export class AppendOutcomeUnknown extends Error {
  constructor(cause: unknown) {
    super('An append failed and may or may not have been stored; read the stream again and decide anew', { cause });
    this.name = 'AppendOutcomeUnknown';
  }
}

/** More is waiting than can be written in reasonable time. */
export class EventStoreOverloaded extends Error {
  constructor() {
    super('Too many appends are waiting for the event store, nothing was stored; try again in a moment');
    this.name = 'EventStoreOverloaded';
  }
}
