/** Whether an `Accept` header asks for CSV more than for JSON. JSON answers whoever has no preference. */
export function prefersCsv(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  return quality(accept, 'text/csv') > quality(accept, 'application/json');
}

function quality(accept: string, wanted: string): number {
  for (const part of accept.split(',')) {
    const [type = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
    if (type !== wanted) continue;
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    return weight === undefined ? 1 : Number(weight.slice(2)) || 0;
  }
  return 0;
}
