import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** AES-256-GCM: opening a modified text fails instead of returning something else. */
const cipher = 'aes-256-gcm';
export const sealingKeyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
/** The format version, to distinguish these texts from those of later formats. */
const prefix = 'v1.';

/** The key was destroyed on purpose and cannot be restored. */
export class KeyDestroyed extends Error {
  override readonly name = 'KeyDestroyed';
}

/** The sealed text was modified, belongs to another object, or was sealed with another key. */
export class DecryptionFailed extends Error {
  override readonly name = 'DecryptionFailed';
}

/** Opens only with the same key and the same `bound`, the name of the object that the text belongs to. */
export function sealText(key: Uint8Array, bound: string, text: string): string {
  return prefix + sealBytes(key, bound, Buffer.from(text)).toString('base64url');
}

export function unsealText(key: Uint8Array, bound: string, sealed: string): string {
  const bytes = Buffer.from(sealed.slice(prefix.length), 'base64url');
  if (!sealed.startsWith(prefix) || bytes.length < nonceBytes + tagBytes) {
    throw new DecryptionFailed(
      `The stored text of ${bound} is not sealed in a known format; read it with a newer release.`,
    );
  }
  const text = unsealBytes(key, bound, bytes);
  if (text !== undefined) return text.toString('utf8');
  throw new DecryptionFailed(
    `The sealed text of ${bound} does not open with its key: it was modified or belongs to another object.`,
  );
}

/** Nonce, ciphertext and tag. */
export function sealBytes(key: Uint8Array, bound: string, bytes: Uint8Array): Buffer {
  const nonce = randomBytes(nonceBytes);
  const sealing = createCipheriv(cipher, key, nonce, { authTagLength: tagBytes });
  sealing.setAAD(Buffer.from(bound));
  return Buffer.concat([nonce, sealing.update(bytes), sealing.final(), sealing.getAuthTag()]);
}

/** Undefined if the bytes were modified, or sealed with another key or for another `bound`. */
export function unsealBytes(key: Uint8Array, bound: string, sealed: Uint8Array): Buffer | undefined {
  if (sealed.length < nonceBytes + tagBytes) return undefined;
  const opening = createDecipheriv(cipher, key, sealed.subarray(0, nonceBytes), { authTagLength: tagBytes });
  opening.setAAD(Buffer.from(bound));
  opening.setAuthTag(sealed.subarray(-tagBytes));
  const bytes = opening.update(sealed.subarray(nonceBytes, -tagBytes));
  try {
    return Buffer.concat([bytes, opening.final()]);
  } catch {
    return undefined;
  }
}
