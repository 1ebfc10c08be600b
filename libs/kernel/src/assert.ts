/**
 * For what must never happen: a broken invariant is a defect, so it throws instead of being refused politely.
 * Where it is checked often, the message is given as a function, and only made when it is needed.
 */
export function assert(condition: unknown, message: string | (() => string)): asserts condition {
  if (!condition) throw new Error(`Invariant broken: ${typeof message === 'string' ? message : message()}`);
}

/** Ends an exhaustive switch. The compiler refuses the call while a case is missing. */
export function assertNever(value: never): never {
  throw new Error(`Unexpected value: ${JSON.stringify(value)}`);
}
