import { isConclusive } from './api';
import type { Write } from './journal';

export interface Availability {
  /** Responses with a status of 500 or more. */
  readonly errors: number;
  /** Requests that clients stopped waiting for, or whose connection broke. */
  readonly withoutResponse: number;
  /** The longest time in which no client received a conclusive response to a write. */
  readonly longestGapMs: number;
}

/** What clients noticed of the faults. */
export function availabilityOf(writes: readonly Pick<Write, 'attempts'>[]): Availability {
  const attempts = writes.flatMap((write) => write.attempts);
  const conclusive = attempts.filter(({ response }) => isConclusive(response));
  const times = conclusive.map(({ at, durationMs }) => Date.parse(at) + durationMs).sort((one, other) => one - other);
  return {
    errors: attempts.filter(({ response: { status = 0 } }) => status >= 500).length,
    withoutResponse: attempts.filter(({ response }) => response.status === undefined).length,
    longestGapMs: Math.max(0, ...times.slice(1).map((time, index) => time - times[index]!)),
  };
}

export function describeAvailability({ errors, withoutResponse, longestGapMs }: Availability): string {
  const gap = (longestGapMs / 1_000).toFixed(1);
  return `Clients saw ${errors} errors (5xx), ${withoutResponse} requests without a response, and no processed write for at most ${gap} s.`;
}
