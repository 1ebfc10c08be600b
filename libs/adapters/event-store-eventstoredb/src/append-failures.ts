import {
  AccessDeniedError,
  CancelledError,
  DeadlineExceededError,
  MaxAppendSizeExceededError,
  NotLeaderError,
  StreamDeletedError,
  TimeoutError,
  UnavailableError,
  UnknownError,
} from '@eventstore/db-client';
import { AppendTooLarge } from '@florin/event-sourcing';

/** The server was never reached: nothing was stored, and it is safe to try again. */
export class EventStoreUnreachable extends Error {
  constructor(cause: unknown) {
    super(
      `The event store cannot be reached, nothing was stored; check that the server of EVENTSTORE_URL runs, and try again (${textOf(cause)})`,
      { cause },
    );
    this.name = 'EventStoreUnreachable';
  }
}

/** More is waiting than can be carried out in reasonable time. */
export class EventStoreOverloaded extends Error {
  constructor() {
    super('Too many calls are waiting for the event store, and this one was not begun; try again in a moment');
    this.name = 'EventStoreOverloaded';
  }
}

/** The append was under way when something failed, and the time to find out how it ended was too short. */
export class AppendOutcomeUnknown extends Error {
  constructor(stream: string, cause: unknown) {
    super(
      `An append to ${stream} failed and may or may not have been stored; read the stream again and decide anew (${textOf(cause)})`,
      { cause },
    );
    this.name = 'AppendOutcomeUnknown';
  }
}

/** The server has said no, and would say it again: nothing was stored. */
export class AppendRefused extends Error {
  constructor(stream: string, reason: string, cause: unknown) {
    super(`The event store has refused an append to ${stream}, nothing was stored: ${reason}`, { cause });
    this.name = 'AppendRefused';
  }
}

/** The failure of an append as its caller should see it. `wasSent`: some attempt may have reached the server. */
export function appendFailure(stream: string, error: unknown, wasSent: boolean): Error {
  if (error instanceof EventStoreOverloaded) return error;
  if (error instanceof MaxAppendSizeExceededError) return new AppendTooLarge(stream, error.maxAppendSize);
  const refusal = reasonToRefuse(error);
  if (refusal !== undefined) return new AppendRefused(stream, refusal, error);
  return wasSent ? new AppendOutcomeUnknown(stream, error) : new EventStoreUnreachable(error);
}

function reasonToRefuse(error: unknown): string | undefined {
  if (error instanceof AccessDeniedError) return 'check the user in EVENTSTORE_URL, its password and its rights';
  if (error instanceof StreamDeletedError) return 'the stream was deleted, which nobody may do; restore a backup';
  return undefined;
}

/** What a broken connection, a restart or an election looks like. Another attempt may well succeed. */
export function mayPass(error: unknown): boolean {
  return (
    error instanceof UnavailableError ||
    error instanceof CancelledError ||
    error instanceof TimeoutError ||
    error instanceof DeadlineExceededError ||
    error instanceof NotLeaderError ||
    (error instanceof UnknownError && error.code === statusInternal)
  );
}

/**
 * Whether the same may succeed later, for those who repeat reads and whole commands. An append by itself may only be
 * repeated with the same event ids, as this adapter does: after `AppendOutcomeUnknown` its events may stand there.
 */
export function isTransientEventStoreError(error: unknown): boolean {
  return (
    error instanceof EventStoreUnreachable ||
    error instanceof AppendOutcomeUnknown ||
    error instanceof EventStoreOverloaded ||
    mayPass(error) ||
    wasNeverSent(error)
  );
}

/** How gRPC reports a call whose connection was reset under it. */
const statusInternal = 13;

/** True only when the call has certainly not left this process, or met a server that only said where the leader is. */
export function wasNeverSent(error: unknown): boolean {
  if (error instanceof NotLeaderError) return true;
  const text = textOf(error);
  return text.includes('No connection established') || text.startsWith('Failed to discover');
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
