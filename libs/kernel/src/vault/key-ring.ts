import { createHmac } from 'node:crypto';
import { DecryptionFailed, sealBytes, sealingKeyBytes, unsealBytes } from '../sealed-text';
import { type KeyWrapper, UnknownVaultKey, type WrappedKey } from './key-wrapper.port';

/** The first byte of a wrapped key, to distinguish later formats. */
const format = 1;

/** Vault keys in memory. The first one wraps, and all of them unwrap. AES-256-GCM, bound to the context and the vault key's id. */
export class KeyRing implements KeyWrapper {
  private readonly keys: ReadonlyMap<string, Uint8Array>;

  constructor(keys: readonly Uint8Array[]) {
    this.keys = new Map(keys.map((key) => [vaultKeyId(key), key]));
  }

  async currentKeyId(): Promise<string> {
    const [id] = this.keys.keys();
    if (id === undefined) throw new UnknownVaultKey('There is no vault key. Set VAULT_KEY or VAULT_KEY_FILE.');
    return id;
  }

  async knows(keyId: string): Promise<boolean> {
    return this.keys.has(keyId);
  }

  async wrap(key: Uint8Array, context: string): Promise<WrappedKey> {
    const keyId = await this.currentKeyId();
    const sealed = sealBytes(this.keys.get(keyId)!, boundTo(keyId, context), key);
    return { keyId, wrapped: Buffer.concat([Buffer.of(format), sealed]) };
  }

  async unwrap({ keyId, wrapped }: WrappedKey, context: string): Promise<Buffer> {
    const vaultKey = this.keys.get(keyId);
    if (vaultKey === undefined) {
      throw new UnknownVaultKey(
        `The key of ${context} is wrapped with the vault key ${keyId}, which is not configured. ` +
          'Add it to VAULT_KEY or VAULT_KEY_FILE.',
      );
    }
    const key = wrapped[0] === format ? unsealBytes(vaultKey, boundTo(keyId, context), wrapped.subarray(1)) : undefined;
    if (key !== undefined) return key;
    throw new DecryptionFailed(
      `The key of ${context} cannot be unwrapped: it was modified or belongs to another object. Restore it from a backup.`,
    );
  }
}

/** Derived from the key, so that keys need no names, and the same key has the same id in all services. */
export function vaultKeyId(key: Uint8Array): string {
  return createHmac('sha256', key).update('florin vault key id').digest('hex').slice(0, 16);
}

/** 32 bytes as base64 or hex; undefined if the text is something else. */
export function parseVaultKey(text: string): Buffer | undefined {
  const key = /^[0-9a-f]{64}$/i.test(text) ? Buffer.from(text, 'hex') : decodeBase64(text);
  return key?.length === sealingKeyBytes ? key : undefined;
}

function decodeBase64(text: string): Buffer | undefined {
  return /^[A-Za-z0-9+/_-]+=*$/.test(text) ? Buffer.from(text, 'base64') : undefined;
}

function boundTo(keyId: string, context: string): string {
  return JSON.stringify(['florin vault', keyId, context]);
}
