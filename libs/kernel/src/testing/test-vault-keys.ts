import { KeyRing } from '../vault/key-ring';

/** For tests in which the vault key does not matter. */
export const testVaultKeys = new KeyRing([Buffer.alloc(32, 1)]);
