import { MailboxFull, NoReply, RevisionConflict } from '@florin/event-sourcing';

/** Whether the store or the database was out of reach, so that the same can succeed later. */
export type IsOutage = (error: unknown) => boolean;

/**
 * Whether a command is worth repeating: it got no reply in time, met an outage, or a crowd. One whose handler has failed
 * is not, since the same would happen again.
 */
export function worthRepeating(isOutage: IsOutage): (error: unknown) => boolean {
  const isWorthRepeating = (error: unknown): boolean => {
    if (!(error instanceof NoReply)) return isOutage(error) || isCrowd(error);
    return error.cause === undefined || isWorthRepeating(error.cause);
  };
  return isWorthRepeating;
}

/** Too many others wanted the same stream at the same time. */
function isCrowd(error: unknown): boolean {
  return error instanceof MailboxFull || error instanceof RevisionConflict;
}
