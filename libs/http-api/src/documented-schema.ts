import { z } from 'zod';

const documentation = new WeakMap<object, z.ZodType>();

/** Accepts any value, because the endpoint validates it and reports a problem in its own way. Documented as the given schema. */
export function documentedAs(schema: z.ZodType): z.ZodUnknown {
  const anything = z.unknown();
  documentation.set(anything, schema);
  return anything;
}

export function documentationOf(schema: object): z.ZodType | undefined {
  return documentation.get(schema);
}
