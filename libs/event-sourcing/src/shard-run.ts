import type { Backoff } from './backoff';
import type { Membership, ShardClaim } from './ports/checkpoint-store.port';
import type { Position, RecordedEvent } from './ports/event-store.port';

export interface ShardRun<Tx> {
  readonly membership: Membership<Tx>;
  readonly claim: ShardClaim;
  readonly backoff: Backoff;
  readonly signal: AbortSignal;
  /** Called for every failed attempt. */
  readonly onFailure: (error: unknown) => void;
  readonly onSuccess: () => void;
  readonly onStopped: (reason: string) => void;
}

/** Where a shard has stopped. */
export function placeOf(event: RecordedEvent | undefined, upTo: Position): string {
  if (event === undefined) return `position ${upTo}`;
  return `${event.type} (${event.stream}@${event.revision}, position ${event.position})`;
}
