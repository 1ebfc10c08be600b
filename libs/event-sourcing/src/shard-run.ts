import type { Backoff } from './backoff';
import type { Membership, ShardClaim } from './ports/checkpoint-store.port';
import type { Position, RecordedEvent } from './ports/event-store.port';
import type { SubscriptionOptions } from './subscription-options';

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

type Linger = Pick<SubscriptionOptions<unknown>, 'lingerMs' | 'lingerAloneMs'>;
type Members = { readonly membership: Pick<Membership<unknown>, 'members'> };

/** How long events accumulate while no reader waits for them. */
export function lingerMs({ lingerMs = 0, lingerAloneMs = lingerMs }: Linger, { membership }: Members): number {
  return membership.members === 1 ? lingerAloneMs : lingerMs;
}

/** How long the checkpoint of pages without matching events may be delayed, which saves writes. */
export function emptyPageCheckpointMs(linger: Linger, run: Members): number {
  return Math.max(100, 2 * lingerMs(linger, run));
}

/** Where a shard has stopped. */
export function placeOf(event: RecordedEvent | undefined, upTo: Position): string {
  if (event === undefined) return `position ${upTo}`;
  return `${event.type} (${event.stream}@${event.revision}, position ${event.position})`;
}
