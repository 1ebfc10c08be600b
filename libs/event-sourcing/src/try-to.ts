/** The result or the error, for a caller that reports it later. */
export function tryTo<Value>(work: () => Value): { value: Value } | { error: unknown } {
  try {
    return { value: work() };
  } catch (error) {
    return { error };
  }
}
