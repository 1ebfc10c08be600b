/** Time is an input. Production reads the system clock; a test sets its own (`manualClock`). */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };
