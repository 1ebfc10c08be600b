import { isStoreMismatch, MailboxFull, NoReply, RevisionConflict } from '@florin/event-sourcing';

/** Whether the store or the database was unavailable, so that a retry can succeed. */
export type IsOutage = (error: unknown) => boolean;

/**
 * Whether a command can be retried: no reply in time, an outage, also by another event store, or contention. A failed handler would fail again.
 */
export function retryable(isOutage: IsOutage): (error: unknown) => boolean {
  const isRetryable = (error: unknown): boolean => {
    if (isStoreMismatch(error)) return true;
    if (!(error instanceof NoReply)) return isOutage(error) || isContention(error);
    return error.cause === undefined || isRetryable(error.cause);
  };
  return isRetryable;
}

/** Too many commands for one stream at the same time. */
function isContention(error: unknown): boolean {
  return error instanceof MailboxFull || error instanceof RevisionConflict;
}
