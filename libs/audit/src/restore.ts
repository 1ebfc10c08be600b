import { UuidRecords } from '@florin/event-sourcing';

/**
 * Copies stored fields into an object of the class that they were of, and into the objects of classes in its fields. The
 * classes of the audit have plain data in all other fields: what the next audit needs is what they contain.
 */
export function restoreInto<Target extends object>(target: Target, stored: object): Target {
  const fields = target as Record<string, unknown>;
  for (const [name, value] of Object.entries(stored) as [string, object][]) {
    const own = fields[name];
    if (own instanceof UuidRecords) fields[name] = UuidRecords.from(value as UuidRecords);
    else if (isOfOwnClass(own)) restoreInto(own, value);
    else fields[name] = value;
  }
  return target;
}

const plain: ReadonlySet<unknown> = new Set([Object, Map, Set, Array]);

function isOfOwnClass(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !plain.has(value.constructor);
}
