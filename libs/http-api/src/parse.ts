import type { z } from 'zod';
import { explainIssues } from './explain-issues';

/** Returns the parsed value, or throws a 400 that names the invalid fields. */
export function parse<S extends z.ZodType>(schema: S, value: unknown, thing: 'field' | 'query parameter'): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  // Parsed again with `reportInput`, which is slower but distinguishes a missing field from an invalid one.
  const { error } = schema.safeParse(value, { reportInput: true });
  throw explainIssues((error ?? result.error).issues, thing);
}
