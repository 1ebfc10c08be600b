/** A key that is encrypted with a vault key. */
export interface WrappedKey {
  /** Identifies the vault key. */
  readonly keyId: string;
  readonly wrapped: Uint8Array;
}

/**
 * Encrypts the keys in the vault with a vault key, which is stored outside the database: in the environment, in a file, or in a
 * key management service, whose adapter would send the keys there. The `context` names the object that a key belongs to; a key
 * is unwrapped only for the same object.
 */
export interface KeyWrapper {
  /** The id of the vault key that wraps now; other keys only unwrap. */
  currentKeyId(): Promise<string>;
  knows(keyId: string): Promise<boolean>;
  wrap(key: Uint8Array, context: string): Promise<WrappedKey>;
  /** Throws `UnknownVaultKey`, or `DecryptionFailed` if the key was modified or belongs to another object. */
  unwrap(key: WrappedKey, context: string): Promise<Buffer>;
}

/** The vault key is not configured. Keys that it wraps become readable again once it is. */
export class UnknownVaultKey extends Error {
  override readonly name = 'UnknownVaultKey';
}
