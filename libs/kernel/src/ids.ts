import { hash, randomUUID } from 'node:crypto';

export type Uuid = string;

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The namespace of all name-based ids. Changing it would make every repeat a new request. */
const florinNamespace = '4d1f6a0e-9c2b-5f7a-b3d8-c6e15a7094f2';

export function isUuid(text: unknown): text is Uuid {
  return typeof text === 'string' && uuidPattern.test(text);
}

export function randomId(): Uuid {
  return randomUUID();
}

/**
 * The same parts always produce the same id (a version 5 UUID), so that a repeated request refers to the same object.
 * Parts are length-prefixed: ('ab', 'c') and ('a', 'bc') are different names.
 */
export function deterministicId(...parts: readonly string[]): Uuid {
  let name = florinNamespace;
  for (const part of parts) name += `${part.length}:${part}`;
  const hex = hash('sha1', name);
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** Whether an id was derived from parts, for example from an `Idempotency-Key`, so that it can occur again at any time. */
export function isDeterministicId(id: Uuid): boolean {
  return isUuid(id) && id.charAt(14) === '5';
}

export function sha256(text: string): string {
  return hash('sha256', text);
}
