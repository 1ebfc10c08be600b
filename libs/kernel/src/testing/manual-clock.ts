import type { Clock } from '../clock';

/** A clock that only a test moves. */
export interface ManualClock extends Clock {
  advance(milliseconds: number): void;
  set(time: string): void;
}

export function manualClock(start: string): ManualClock {
  let time = Date.parse(start);
  return {
    now: () => new Date(time),
    advance: (milliseconds) => {
      time += milliseconds;
    },
    set: (next) => {
      time = Date.parse(next);
    },
  };
}
