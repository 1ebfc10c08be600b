import { type Refusal, refuse } from './decider';
import type { Upcaster } from './event-versions';

/** Which entries of a state are retained: always the newest `min`, otherwise those of the last `forMs`, up to `max`. */
export interface Retention {
  readonly min: number;
  readonly max: number;
  readonly forMs: number;
}

interface Requested {
  /** Undefined in old events: then only `max` applies. */
  readonly requestedAt: string | undefined;
}

export interface AcceptedRequest<Content> extends Requested {
  /** What identifies the request, or what its reply needs. */
  readonly content: Content;
}

/**
 * The requests that an aggregate accepted last, as a part of its state. A state has no limit on how many requests it accepts,
 * and thousands of states are in memory at once, so the state forgets old requests.
 */
export interface RecentRequests<Content> {
  /** By request id, the oldest first. */
  readonly accepted: Map<string, AcceptedRequest<Content>>;
  /** Requests from up to this time may be missing from `accepted`. */
  horizon: string;
}

/**
 * The bus skips a request after its deadline of eight seconds, and any command after five minutes. Two commands of one
 * `Idempotency-Key` can both wait that long, so the second is decided at most ten minutes after the first was requested; the
 * rest is for clocks that differ. `max` covers two deadlines at 500 requests per second.
 */
export const retainedRequests: Retention = { min: 100, max: 10_000, forMs: 15 * 60_000 };

export function noRequests<Content>(): RecentRequests<Content> {
  return { accepted: new Map(), horizon: '' };
}

/** For `evolve`: the time is that of the request in the event, never that of the clock. */
export function rememberRequest<Content>(
  requests: RecentRequests<Content>,
  requestId: string,
  requestedAt: string | undefined,
  content: Content,
  retention = retainedRequests,
): void {
  requests.accepted.set(requestId, { content, requestedAt });
  dropOldRequests(requests.accepted, requests, requestedAt, retention);
}

/** Drops entries that were requested long before `latest`, the oldest first, and moves the horizon past them. */
export function dropOldRequests(
  entries: Map<string, Requested>,
  state: { horizon: string },
  latest: string | undefined,
  { min, max, forMs }: Retention,
): void {
  const recent = latest === undefined ? '' : new Date(Date.parse(latest) - forMs).toISOString();
  for (const [id, { requestedAt }] of entries) {
    const isOld = requestedAt !== undefined && requestedAt < recent;
    if (entries.size <= (isOld ? min : max)) return;
    entries.delete(id);
    if (requestedAt !== undefined && requestedAt > state.horizon) state.horizon = requestedAt;
  }
}

/** The upcaster of events whose previous version had no time of the request: it stays unknown. */
export const withoutRequestTime: Upcaster = (data) => data;

/** Whether a request that is not in `accepted` may have been accepted and forgotten, so that it must not be executed. */
export function isBeyondHorizon({ horizon }: { readonly horizon: string }, requestedAt: string): boolean {
  return requestedAt <= horizon;
}

/** The decision about a request that changes nothing: none for a repeat, or a refusal. Undefined if the request is new. */
export function decideRepeat(
  requests: RecentRequests<unknown>,
  requestId: string,
  requestedAt: string | undefined,
): [] | Refusal<'request_outdated'> | undefined {
  if (requests.accepted.has(requestId)) return [];
  if (requestedAt === undefined || !isBeyondHorizon(requests, requestedAt)) return undefined;
  return requestOutdated(requestedAt);
}

export function requestOutdated(requestedAt: string): Refusal<'request_outdated'> {
  return refuse('request_outdated', `The request of ${requestedAt} is too old to detect a duplicate; repeat it`);
}
