import { createHash, hash, randomUUID } from 'node:crypto';

export type Uuid = string;

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The root of every name-based id of this product. Changing it would make every repeat look new. */
const florinNamespace = Buffer.from('4d1f6a0e9c2b5f7ab3d8c6e15a7094f2', 'hex');

export function isUuid(text: unknown): text is Uuid {
  return typeof text === 'string' && uuidPattern.test(text);
}

export function randomId(): Uuid {
  return randomUUID();
}

/**
 * The same parts always give the same id (UUID version 5), so that a repeated request names the same object.
 * Parts are length-prefixed: ('ab', 'c') and ('a', 'bc') are different names.
 */
export function deterministicId(...parts: readonly string[]): Uuid {
  let name = '';
  for (const part of parts) name += `${part.length}:${part}`;
  const digest = createHash('sha1').update(florinNamespace).update(name).digest();
  digest[6] = (digest[6]! & 0x0f) | 0x50;
  digest[8] = (digest[8]! & 0x3f) | 0x80;
  const hex = digest.toString('hex', 0, 16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

export function sha256(text: string): string {
  return hash('sha256', text);
}
