/**
 * For invariants: a violation is a bug, so it throws instead of refusing. On hot paths, pass the message as a function.
 */
export function assert(condition: unknown, message: string | (() => string)): asserts condition {
  if (!condition) throw new Error(`Invariant broken: ${typeof message === 'string' ? message : message()}`);
}

/** Ends an exhaustive switch. The compiler rejects the call while a case is missing. */
export function assertNever(value: never): never {
  throw new Error(`Unexpected value: ${JSON.stringify(value)}`);
}
