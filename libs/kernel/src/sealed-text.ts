import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** AES-256-GCM: a changed text does not open at all, instead of opening to something else. */
const cipher = 'aes-256-gcm';
export const sealingKeyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
/** The form is named in front, so that texts sealed today can still be told from those of a later form. */
const prefix = 'v1.';

/** Somebody wanted to seal with a key that was destroyed on purpose. It never comes back. */
export class KeyDestroyed extends Error {
  override readonly name = 'KeyDestroyed';
}

/** A sealed text that was changed, belongs to something else, or was sealed with another key. */
export class SealBroken extends Error {
  override readonly name = 'SealBroken';
}

/** Only the same key opens it, and only together with the same `bound`: the name of what the text belongs to. */
export function sealText(key: Uint8Array, bound: string, text: string): string {
  const nonce = randomBytes(nonceBytes);
  const sealing = createCipheriv(cipher, key, nonce, { authTagLength: tagBytes });
  sealing.setAAD(Buffer.from(bound));
  const sealed = Buffer.concat([nonce, sealing.update(text, 'utf8'), sealing.final(), sealing.getAuthTag()]);
  return prefix + sealed.toString('base64url');
}

export function unsealText(key: Uint8Array, bound: string, sealed: string): string {
  const bytes = Buffer.from(sealed.slice(prefix.length), 'base64url');
  if (!sealed.startsWith(prefix) || bytes.length < nonceBytes + tagBytes) {
    throw new SealBroken(`What is kept for ${bound} is no sealed text of a known form; read it with a newer release.`);
  }
  const opening = createDecipheriv(cipher, key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes });
  opening.setAAD(Buffer.from(bound));
  opening.setAuthTag(bytes.subarray(-tagBytes));
  const text = opening.update(bytes.subarray(nonceBytes, -tagBytes));
  try {
    return Buffer.concat([text, opening.final()]).toString('utf8');
  } catch {
    throw new SealBroken(`The sealed text of ${bound} does not open with its key: it was changed, or is another's.`);
  }
}
