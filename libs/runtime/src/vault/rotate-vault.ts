import type { KeyWrapper, UnreadableKey, VaultTable } from '@florin/kernel';

/** Small enough that a batch is one short statement, and a crash repeats little work. */
const defaultBatchSize = 500;

export interface RotatedTable {
  readonly name: string;
  readonly rewrapped: number;
  /** The number of keys that are not wrapped with the current vault key. */
  readonly remaining: number;
  /** The keys that could not be opened, which are among the remaining ones. */
  readonly failed: readonly UnreadableKey[];
}

export interface RotationOptions {
  readonly batchSize?: number;
  /** Called after each batch. */
  readonly report?: (table: string, rewrapped: number) => void;
}

/**
 * Wraps all keys of the vault with the current vault key, while services read and write them. Each batch is committed separately; after a
 * crash, the next run continues with the keys that are left.
 */
export async function rotateVault(
  tables: readonly VaultTable[],
  keys: KeyWrapper,
  { batchSize = defaultBatchSize, report = () => undefined }: RotationOptions = {},
): Promise<readonly RotatedTable[]> {
  const rotated: RotatedTable[] = [];
  for (const table of tables) {
    let rewrapped = 0;
    const failed: UnreadableKey[] = [];
    let batch = await table.rewrap(undefined, batchSize);
    while (batch.last !== undefined) {
      rewrapped += batch.rewrapped;
      failed.push(...batch.failed);
      report(table.name, rewrapped);
      batch = await table.rewrap(batch.last, batchSize);
    }
    const counts = await table.countByVaultKey();
    const current = await keys.currentKeyId();
    const others = [...counts].filter(([keyId]) => keyId !== current).map(([, count]) => count);
    const remaining = others.reduce((sum, count) => sum + count, 0);
    rotated.push({ name: table.name, rewrapped, remaining, failed });
  }
  return rotated;
}
