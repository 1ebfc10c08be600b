/** Time is an input. Production reads the system clock; a test sets its own. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

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
