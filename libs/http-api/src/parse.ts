import type { z } from 'zod';
import { explainIssues } from './explain-issues';

/** What fits the schema, or a 400 that names everything that does not. */
export function parse<S extends z.ZodType>(schema: S, value: unknown, thing: 'field' | 'query parameter'): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  // Telling an absent field from a wrong one takes the slower way through zod, which is well spent here.
  const { error } = schema.safeParse(value, { reportInput: true });
  throw explainIssues((error ?? result.error).issues, thing);
}
