/** Whether an `Accept` header prefers CSV over JSON. Without a preference the response is JSON. */
export function prefersCsv(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  const weights = weightsOf(accept);
  const weightOf = (...ranges: readonly string[]): number => {
    const named = ranges.find((range) => weights.has(range));
    return named === undefined ? 0 : weights.get(named)!;
  };
  // The most specific media range applies.
  return weightOf('text/csv', 'text/*', '*/*') > weightOf('application/json', 'application/*', '*/*');
}

function weightsOf(accept: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const part of accept.split(',')) {
    const [range = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    if (!weights.has(range)) weights.set(range, weight === undefined ? 1 : Number(weight.slice(2)) || 0);
  }
  return weights;
}
