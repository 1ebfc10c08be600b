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
import {
  AppendOutcomeUnknown,
  AppendTooLarge,
  EventStoreMismatch,
  EventStoreOverloaded,
  EventStoreUnreachable,
} from '@florin/event-sourcing';

/** The server rejected the append and would reject it again: nothing was stored. */
export class AppendRefused extends Error {
  constructor(stream: string, reason: string, cause: unknown) {
    super(`The event store has rejected an append to ${stream}, nothing was stored: ${reason}`, { cause });
    this.name = 'AppendRefused';
  }
}

/** Maps the failure of an append to the error for its caller. `wasSent`: an attempt may have reached the server. */
export function appendFailure(stream: string, error: unknown, wasSent: boolean): Error {
  if (error instanceof EventStoreOverloaded || error instanceof EventStoreMismatch) return error;
  if (error instanceof MaxAppendSizeExceededError) return new AppendTooLarge(stream, error.maxAppendSize);
  const refusal = reasonToRefuse(error);
  if (refusal !== undefined) return new AppendRefused(stream, refusal, error);
  return wasSent ? new AppendOutcomeUnknown(error) : new EventStoreUnreachable(error);
}

function reasonToRefuse(error: unknown): string | undefined {
  if (error instanceof AccessDeniedError) return 'check the user in EVENTSTORE_URL, its password and its permissions';
  if (error instanceof StreamDeletedError) return 'the stream was deleted, which must never happen; restore a backup';
  return undefined;
}

const maxWaitingCalls = 50_000;

export function rejectWhenOverloaded(waiting: number): void {
  if (waiting >= maxWaitingCalls) throw new EventStoreOverloaded();
}

/** The server may have executed the call, or not. */
export class NoResponse extends Error {
  override name = 'NoResponse';
}

/**
 * The server has ended a live subscription because events were not read as fast as they were written. It does so after a burst of
 * some dozens. The connection is not broken.
 */
export class SubscriptionDropped extends Error {
  override name = 'SubscriptionDropped';
}

/** A broken connection, a restart or an election: another attempt may succeed. */
export function isTransient(error: unknown): boolean {
  return (
    error instanceof NoResponse ||
    error instanceof SubscriptionDropped ||
    error instanceof UnavailableError ||
    error instanceof CancelledError ||
    error instanceof TimeoutError ||
    error instanceof DeadlineExceededError ||
    error instanceof NotLeaderError ||
    (error instanceof UnknownError && brokenCall.includes(error.code))
  );
}

/**
 * Whether a retry of a read or of a whole command may succeed. An append alone may only be retried with the same event
 * ids, as this adapter does: after `AppendOutcomeUnknown` its events may exist.
 */
export function isTransientEventStoreError(error: unknown): boolean {
  return (
    error instanceof EventStoreUnreachable ||
    error instanceof AppendOutcomeUnknown ||
    error instanceof EventStoreOverloaded ||
    error instanceof EventStoreMismatch ||
    isTransient(error) ||
    wasNeverSent(error)
  );
}

/**
 * The gRPC status of a call that was canceled because its client was replaced, of one whose connection was reset, and none for an
 * append that a server does not accept, such as during an election.
 */
const brokenCall: readonly unknown[] = [1, 13, undefined];

/**
 * True only when the call certainly has not left this process, or when the server only replied with the leader's
 * address.
 */
export function wasNeverSent(error: unknown): boolean {
  if (error instanceof NotLeaderError) return true;
  const text = textOf(error);
  return text.includes('No connection established') || text.startsWith('Failed to discover');
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The message for a user without the rights that Florin needs; undefined for other errors. */
export function accessProblem(error: unknown): string | undefined {
  const isDenied =
    error instanceof AccessDeniedError || (error instanceof AppendRefused && error.cause instanceof AccessDeniedError);
  if (!isDenied) return undefined;
  return (
    'The event store denies access to the user of EVENTSTORE_URL, or it requires a user and EVENTSTORE_URL has none. ' +
    'Correct its user and password, or give it the rights that it needs with `florin eventstore grant`.'
  );
}
