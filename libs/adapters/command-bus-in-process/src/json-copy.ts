/**
 * What `JSON.parse(JSON.stringify(value))` returns, in less than half of the time: strings are shared, and only objects and arrays
 * are copied. Undefined for what JSON cannot express; throws on a bigint.
 */
export function jsonCopy(value: unknown): unknown {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      // JSON has no negative zero.
      return Number.isFinite(value) ? value + 0 : null;
    case 'object':
      if (value === null) return null;
      if (Array.isArray(value)) return copyArray(value);
      return isPlain(value) ? copyObject(value) : viaText(value);
    default:
      return viaText(value);
  }
}

function copyArray(values: readonly unknown[]): unknown[] {
  const copy: unknown[] = [];
  for (const value of values) copy.push(jsonCopy(value) ?? null);
  return copy;
}

function copyObject(value: Readonly<Record<string, unknown>>): object {
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const member = value[key];
    const copied = typeof member === 'string' || member === undefined ? member : jsonCopy(member);
    if (copied === undefined) continue;
    // An assignment would set the prototype.
    if (key === '__proto__') Object.defineProperty(copy, key, { ...ownProperty, value: copied });
    else copy[key] = copied;
  }
  return copy;
}

const ownProperty = { configurable: true, enumerable: true, writable: true };

/** An object literal. Others, such as dates, may convert themselves. */
function isPlain(value: object): value is Readonly<Record<string, unknown>> {
  const prototype: unknown = Object.getPrototypeOf(value);
  return (prototype === Object.prototype || prototype === null) && !('toJSON' in value);
}

function viaText(value: unknown): unknown {
  const text = JSON.stringify(value) as string | undefined;
  return text === undefined ? undefined : JSON.parse(text);
}
