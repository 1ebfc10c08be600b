/** Wherever one of these is a key in what is logged, the line shows `[redacted]` in place of the value. */
const secretKeys = new Set([
  'authorization',
  'cookie',
  'password',
  'secret',
  'token',
  'key',
  'operatorToken',
  'connectionString',
]);
const maximumDepth = 5;

/**
 * Pino's own redaction with wildcards costs more than the rest of a log line together. Most lines have a handful of
 * plain values, for which this is one look at each key.
 */
export function redactSecrets(details: Record<string, unknown>, depth = 1): Record<string, unknown> {
  let copy: Record<string, unknown> | undefined;
  for (const key in details) {
    const value = details[key];
    const shown = secretKeys.has(key) ? '[redacted]' : isPlain(value) ? redactNested(value, depth) : value;
    if (shown !== value) (copy ??= { ...details })[key] = shown;
  }
  return copy ?? details;
}

function redactNested(value: object, depth: number): unknown {
  if (depth >= maximumDepth) return '[too deep]';
  if (!Array.isArray(value)) return redactSecrets(value as Record<string, unknown>, depth + 1);
  return value.map((item: unknown) => (isPlain(item) ? redactNested(item, depth + 1) : item));
}

/** Errors and dates have serialisers of their own. */
function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !(value instanceof Error) && !(value instanceof Date);
}
