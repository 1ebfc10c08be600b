import type { KeyWrapper, WrappedKey } from './key-wrapper.port';

/** A key as a table of the vault stores it. */
export interface StoredKey {
  readonly bytes: Uint8Array;
  /** The id of the vault key; null if the key was stored before keys were wrapped. */
  readonly wrappedBy: string | null;
}

export async function openStoredKey(
  { bytes, wrappedBy }: StoredKey,
  context: string,
  keys: KeyWrapper,
): Promise<Buffer> {
  if (wrappedBy === null) return Buffer.from(bytes);
  return keys.unwrap({ keyId: wrappedBy, wrapped: bytes }, context);
}

/** One table of the vault, for the rotation of the vault key. */
export interface VaultTable {
  readonly name: string;
  /** The number of keys by the id of the vault key that wraps them; null for those that are not wrapped. */
  countByVaultKey(): Promise<ReadonlyMap<string | null, number>>;
  /**
   * Wraps up to `limit` keys with the current vault key, in the order of their ids, beginning after `after`. Replaces only keys that are
   * still stored as they were read, so that a key that is destroyed meanwhile stays destroyed.
   */
  rewrap(after: string | undefined, limit: number): Promise<RewrappedKeys>;
}

export interface RewrappedKeys {
  readonly rewrapped: number;
  /** The keys that could not be opened. They are left as they are. */
  readonly failed: readonly UnreadableKey[];
  /** The last id; undefined when no keys are left. */
  readonly last: string | undefined;
}

export interface UnreadableKey {
  readonly id: string;
  readonly reason: string;
}

export interface StoredKeyRow extends StoredKey {
  readonly id: string;
  readonly context: string;
}

export type RewrappedRow = StoredKeyRow & WrappedKey;

/** Wraps the keys of some rows with the current vault key. */
export async function rewrapRows(
  rows: readonly StoredKeyRow[],
  keys: KeyWrapper,
): Promise<{ readonly rewrapped: readonly RewrappedRow[]; readonly failed: readonly UnreadableKey[] }> {
  const rewrapped: RewrappedRow[] = [];
  const failed: UnreadableKey[] = [];
  for (const row of rows) {
    try {
      const key = await openStoredKey(row, row.context, keys);
      rewrapped.push({ ...row, ...(await keys.wrap(key, row.context)) });
    } catch (error) {
      failed.push({ id: row.id, reason: error instanceof Error ? error.message : String(error) });
    }
  }
  return { rewrapped, failed };
}
