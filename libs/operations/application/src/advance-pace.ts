import type { AdvanceConcurrency } from './operations-options';

/**
 * Clients who wait for an answer come first, so that a burst of requests is taken in quickly. But what was accepted must
 * not pile up: the longer new operations have waited beyond the patience, the more of them are moved on, whoever waits;
 * at twice the patience it is as many as at rest.
 */
export function mostAtOnce(
  { whenBusy, whenIdle, fewerPerRequest, patienceMs }: AdvanceConcurrency,
  requestsUnderWay: number,
  waitedMs: number,
): number {
  const leftByRequests = whenIdle - fewerPerRequest * requestsUnderWay;
  const dueByNow = whenIdle * Math.min(1, waitedMs / patienceMs - 1);
  return Math.max(whenBusy, leftByRequests, Math.floor(dueByNow));
}
